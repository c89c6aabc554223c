"""Work packages: who gets which part of the work, what comes back, and how it becomes one."""
