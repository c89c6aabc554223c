"""Landlock and seccomp through their system calls: limits that any Linux process can impose on itself.

Landlock (Linux 5.13) limits which files can be opened; the seccomp filter refuses system calls by number. Neither can
be lifted again. Sources: the kernel's userspace-api/landlock and userspace-api/seccomp_filter documents, and the system
call tables of x86-64 and of the generic ABI, which aarch64 uses.
"""

import ctypes
import errno
import os
import platform
import stat
import struct
import sys
from collections.abc import Iterable, Mapping

if sys.platform != "linux":
    raise ImportError("These limits are available only on Linux.")

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_NO_NEW_PRIVS = 38

# --- Landlock -----------------------------------------------------------------------------------------------------
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_GET_VERSION = 1
_RULE_PATH_BENEATH = 1
_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEVICE = 1 << 14, 1 << 15
_ALL_RIGHTS: Mapping[int, int] = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All file access rights that can be restricted, by the first ABI that has them."""
_READ = _READ_FILE | _READ_DIR
_CHANGE = (1 << 16) - 1 - 1  # all rights except execution
_OF_FILES = _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_TCP = 0b11  # bind and connect, ABI 4
_SCOPES = 0b11  # abstract sockets and signals to outside processes, ABI 6

# --- seccomp ------------------------------------------------------------------------------------------------------
_ARCHITECTURES = {"x86_64": (0xC000003E, 0, 317), "aarch64": (0xC00000B7, 1, 277)}
"""By machine: audit architecture, column of the tables below, number of ``seccomp``."""
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_CLONE, _CLONE3, _CLONE_THREAD = (56, 220), 435, 0x00010000
_X32 = 0x40000000  # x86-64's second numbering of system calls, which could bypass a filter

_NONE = -1
REFUSED: Mapping[str, tuple[int, int]] = {
    # the network, and sockets to other processes
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242),
    # other programs and processes
    "execve": (59, 221), "execveat": (322, 281), "fork": (57, _NONE), "vfork": (58, _NONE), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272), "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "process_madvise": (440, 440),
    # indirect ways: rings that make calls, kernel programs, namespaces, handles that bypass paths
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "unshare": (272, 97), "setns": (308, 268),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432), "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265), "fanotify_init": (300, 262), "personality": (135, 92),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # memory shared with other processes
    "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    # the machine
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "sethostname": (170, 161), "quotactl": (179, 60),
    # owners and attributes of files, which Landlock doesn't cover
    "chown": (92, _NONE), "lchown": (94, _NONE), "fchown": (93, 55), "fchownat": (260, 54), "setxattr": (188, 5),
    "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}  # fmt: skip
"""Calls that fail with EPERM: name to number on x86-64 and aarch64."""
REFUSED_TO_READERS: Mapping[str, tuple[int, int]] = {
    "chmod": (90, _NONE), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "utime": (132, _NONE),
    "utimes": (235, _NONE), "futimesat": (261, _NONE), "utimensat": (280, 88), "truncate": (76, 45), "kill": (62, 129),
}  # fmt: skip
"""Also refused to processes that have no files to write."""


def no_new_privileges() -> None:
    """Prevents programs started from here from gaining their owner's rights; both limits below require this."""
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def landlock_abi() -> int:
    """Returns the kernel's Landlock version, or 0."""
    version: int = _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _GET_VERSION)
    return max(0, version)


def restrict_files(read: Iterable[str], write: Iterable[str]) -> int:
    """Restricts this thread, and threads it starts, to opening these files and folders. Returns the ABI, 0 on failure.
    TCP is refused from ABI 4 on, and signals and abstract sockets to outside processes from ABI 6 on."""
    abi = landlock_abi()
    if not abi:
        return 0
    handled = _ALL_RIGHTS[max(known for known in _ALL_RIGHTS if known <= abi)]
    attributes = struct.pack("=QQQ", handled, _TCP if abi >= 4 else 0, _SCOPES if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    rules = _libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if rules < 0:
        return 0
    try:
        for paths, rights in ((read, _READ), (write, _CHANGE)):
            for path in paths:
                _allow(rules, path, rights & handled)
        done: int = _libc.syscall(_RESTRICT_SELF, rules, 0)
        return abi if done == 0 else 0
    finally:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # missing paths needn't be allowed
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        _libc.syscall(_ADD_RULE, rules, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def refuse_calls(*, strict: bool) -> bool:
    """Installs the filter in all threads of this process; returns False if the kernel or architecture doesn't support
    it. ``strict`` adds calls that a process without files to write doesn't need."""
    if platform.machine() not in _ARCHITECTURES:
        return False
    architecture, column, seccomp = _ARCHITECTURES[platform.machine()]
    numbers = [numbers[column] for numbers in REFUSED.values()]
    if strict:
        numbers += [numbers[column] for numbers in REFUSED_TO_READERS.values()]
    program = _program(architecture, [number for number in numbers if number != _NONE], _CLONE[column])
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    return bool(_libc.syscall(seccomp, _SET_MODE_FILTER, _ALL_THREADS, header) == 0)


def _program(architecture: int, refused: Iterable[int], clone: int) -> bytes:
    """Returns the filter: a program over (number, architecture, instruction, arguments), 8 bytes per instruction."""
    refuse = _REFUSE | errno.EPERM
    lines = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    lines += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, refuse)]
    for number in refused:
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, refuse)]
    # A filter can't read clone3's flags; with ENOSYS, the C library falls back to clone.
    lines += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    # clone creates threads, which are allowed, and processes, which aren't.
    lines += [(_EQUAL, 0, 3, clone), (_LOAD, 0, 0, 16), (_ANY_BIT, 1, 0, _CLONE_THREAD), (_RETURN, 0, 0, refuse)]
    lines += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def refusals() -> tuple[bool, bool, bool]:
    """Tries whether sockets, files beyond the rules (the root folder), and other programs are refused."""
    nothing = ctypes.c_char_p(None)
    network = _refused(_libc.socket(1, 1, 0))  # AF_UNIX: the filter refuses all families alike
    files = _refused(_libc.open(b"/", os.O_RDONLY | os.O_CLOEXEC))
    programs = _refused(_libc.execve(b"/nonexistent/program", ctypes.byref(nothing), ctypes.byref(nothing)))
    return network, files, programs


def _refused(result: int) -> bool:
    number = ctypes.get_errno()
    if result >= 0:
        os.close(result)
        return False
    return number in (errno.EPERM, errno.EACCES)
