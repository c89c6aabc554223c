# The verbs of this repository. The first two are all that a newcomer needs.
.PHONY: run test env lint types types-here types-win32 types-darwin layers deadcode tests screenshots bench sample lock package wheelhouse clean
PY := .venv/bin/python
# What was compiled is kept: else each of the many processes that tests start compiles the engine again.
export PYTHONDONTWRITEBYTECODE :=

run:                ## open the application on the sample project (headless report where there is no display)
	@./scripts/environment.sh --window
	@$(PY) -m desktop_app.main --sample

test: env           ## everything CI checks
	@$(MAKE) -j2 lint types layers deadcode
	@$(MAKE) tests

env:                ## make .venv alone
	@./scripts/environment.sh

lint: env
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/ruff check --preview --select PLW1514 engine desktop_app scripts

types: types-win32 types-darwin types-here

types-here: env
	.venv/bin/mypy
	MYPYPATH=. .venv/bin/mypy scripts

# What one system lacks can only be used by files with one of these (tests/test_portability.py compares with the stubs).
OF_SYSTEMS := ^ *(import|from) (asyncio|ctypes|errno|faulthandler|fcntl|grp|locale|mmap|msvcrt|multiprocessing|os|pwd|resource|select|selectors|shutil|signal|socket|socketserver|ssl|stat|subprocess|sys|tempfile|termios|time|urllib|webbrowser|winreg)\b|\.(l?stat|owner|is_mount)\(

types-win32 types-darwin: types-%: env
	grep -rlE --include='*.py' '$(OF_SYSTEMS)' engine desktop_app | xargs .venv/bin/mypy --no-warn-unreachable --platform $* --cache-dir .mypy_cache/$* --follow-imports silent

layers: env
	.venv/bin/lint-imports

deadcode: env
	.venv/bin/vulture

# In the order of names: files with the most tests first would leave the long single ones to the end, on one core.
# The jobs of commands that tests/e2e/test_network.py runs under strace are run there alone, where there is strace.
# Three for two cores: tests wait as well, for timers and for other processes.
SPREAD := -n 3 --dist loadfile --no-loadscope-reorder
tests: env
	@./scripts/environment.sh --tests
	REJOINDER_WITHOUT_QT=1 REJOINDER_JOBS_ARE_WATCHED=1 $(PY) -m pytest -q $(SPREAD) -p no:pytest-qt tests/engine tests/states
	QT_QPA_PLATFORM=offscreen $(PY) -m pytest -q $(SPREAD) --ignore tests/engine --ignore tests/states tests

screenshots: env    ## render every pane, light and dark, into screenshots/
	QT_QPA_PLATFORM=offscreen $(PY) scripts/screenshots.py

bench: env          ## speed, memory and quality on this machine, into bench.json
	QT_QPA_PLATFORM=offscreen HF_HUB_OFFLINE=1 $(PY) -m tests.benchmarks

sample: env         ## rebuild the sample project from its sources
	$(PY) scripts/make_sample.py

package: env        ## dist/rejoinder-VERSION-linux-MACHINE.tar.gz with its own Python; as root it is tried in an empty folder
	$(PY) scripts/make_package.py
	[ "$$(id -u)" != 0 ] || scripts/check_package.sh dist/rejoinder-*-linux-*.tar.gz

wheelhouse: env     ## dist/wheelhouse: all wheels, to install where there is no network
	scripts/wheelhouse.sh

lock: env           ## rewrite constraints.txt from the environment, the same from a CPU and a GPU build of torch
	( head -1 constraints.txt; $(PY) -m pip freeze --exclude-editable | grep -vE '^(nvidia|cuda|triton)' | sed '/^torch==/s/+.*//' | LC_ALL=C sort -f ) > constraints.new
	mv constraints.new constraints.txt

clean:
	rm -rf .venv screenshots run-report bench.json build dist
