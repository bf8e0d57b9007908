"""Lets LeRobot's own modules be imported without torch and what else stands beside them.

A module that is driven is LeRobot's file as it is; its package runs no `__init__`, and every other module, of LeRobot or
of a package beside it, is a stand-in whose members are classes that take anything and do nothing.
"""

import abc
import contextlib
import dataclasses
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import types
from pathlib import Path

SOURCE = Path(os.environ["HUB_TEST_LEROBOT"]) / "src" / "lerobot"

# Those that ask the hub, and what they need to be themselves.
DRIVEN = {
    "lerobot.__version__",
    "lerobot.common.train_utils",
    "lerobot.configs.policies",
    "lerobot.datasets.dataset_metadata",
    "lerobot.datasets.lerobot_dataset",
    "lerobot.datasets.utils",
    "lerobot.policies.pretrained",
    "lerobot.utils.constants",
    "lerobot.utils.hub",
    "lerobot.utils.utils",
}

# Packages that it wants beside itself.
BESIDE = {"accelerate", "datasets", "numpy", "pandas", "peft", "PIL", "pyarrow", "safetensors", "torch", "torchvision"}

# What the package itself gives, by the module that has it.
GIVEN = {
    ("lerobot.configs", "PreTrainedConfig"): "lerobot.configs.policies",
    ("lerobot.policies", "PreTrainedPolicy"): "lerobot.policies.pretrained",
}


class Anything(abc.ABCMeta):
    """A class whose members are such classes, that can be a base, a type parameter and one half of `X | None`."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(name)

    def __getitem__(cls, _):
        return cls

    def __or__(cls, _):
        return cls

    __ror__ = __or__


def stand_in(name):
    return Anything(name, (Nothing,), {})


class Nothing(metaclass=Anything):
    def __init__(self, *args, **kwargs):
        pass

    def __class_getitem__(cls, _):
        return cls

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None

    def __call__(self, *args, **kwargs):
        return None


class StandIn(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if f"{self.__name__}.{name}" in DRIVEN:
            return importlib.import_module(f"{self.__name__}.{name}")
        module = GIVEN.get((self.__name__, name))
        if module is not None:
            return getattr(importlib.import_module(module), name)
        value = stand_in(name)
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes first, so that every machine has the same stand-ins, whatever is installed on it."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in {"lerobot", *BESIDE}:
            return None
        if name in DRIVEN:
            return importlib.util.spec_from_file_location(name, SOURCE.joinpath(*name.split(".")[1:]).with_suffix(".py"))
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = StandIn(spec.name)
        folder = SOURCE.joinpath(*spec.name.split(".")[1:])
        # Its data files, such as the templates of cards, are read by the package's name.
        module.__path__ = [str(folder)] if spec.name.startswith("lerobot") and folder.is_dir() else []
        return module

    def exec_module(self, module):
        pass

    def get_resource_reader(self, name):
        folder = SOURCE.joinpath(*name.split(".")[1:])
        return importlib.readers.FileReader(types.SimpleNamespace(path=str(folder / "__init__.py")))


class ChoiceRegistry:
    """draccus, as far as a config is written and read by its type."""

    choices = {}

    @classmethod
    def register_subclass(cls, name):
        def register(subclass):
            cls.choices[name] = subclass
            return subclass

        return register

    @classmethod
    def get_choice_class(cls, name):
        return cls.choices[name]

    @classmethod
    def get_choice_name(cls, subclass):
        return next(name for name, one in cls.choices.items() if one is subclass)


def install():
    import importlib.readers  # noqa: F401 (of the finder)

    draccus = StandIn("draccus")
    draccus.ChoiceRegistry = ChoiceRegistry
    draccus.encode = lambda config, _base: {"type": config.type, **dataclasses.asdict(config)}
    draccus.parse = lambda cls, file, args=(): cls(**json.loads(Path(file).read_text()))
    draccus.config_type = lambda _kind: contextlib.nullcontext()
    sys.modules["draccus"] = draccus
    sys.meta_path.insert(0, Finder())


install()
