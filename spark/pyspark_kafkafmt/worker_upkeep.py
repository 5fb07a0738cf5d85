"""What Spark's workers do between two tasks, made quick: it can take longer than a task of ours.

Before each task some versions have Python invalidate its caches; up to 3.12, Python's importer of archives then reads
the whole directory of pyspark.zip, once for each package that was imported from it. After each task the worker looks
for garbage among all objects, and the compiler of our kernels has some hundred thousand that stay: that takes 0.1 s.
"""

import gc
import sys
import zipimport

_modules = 0


def lighten_upkeep() -> None:
    """Leave little to do for the worker after a task; to be called at the end of each.

    Importers of archives are dropped: one that is made again when it is needed has the directory at once. What is
    there after a task that loaded modules, as the first one does, is taken out of later looks for garbage; what is
    garbage by then is freed before.
    """
    global _modules  # noqa: PLW0603 - of the process, as what it counts
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimport.zipimporter):
            del sys.path_importer_cache[path]
    if len(sys.modules) != _modules:
        _modules = len(sys.modules)
        gc.collect()
        gc.freeze()
