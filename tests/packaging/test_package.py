"""The installed package: one version everywhere, every folder listed, a light import, and an example that tells the truth."""

from __future__ import annotations

import doctest
import subprocess
import sys
import tomllib
from importlib import metadata, resources
from pathlib import Path

import gpurules
from gpurules.engine.public import VERSION

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HEAVY = ("click", "rich", "jinja2", "jsonschema", "polars", "durable")


def test_one_version() -> None:
    assert PROJECT["project"]["version"] == VERSION == metadata.version("gpurules")


def test_every_folder_with_code_is_listed() -> None:
    """A package that pyproject.toml does not list is missing from the wheel, and nothing else would tell."""
    packages, folders = PROJECT["tool"]["setuptools"]["packages"], PROJECT["tool"]["setuptools"]["package-dir"]
    for package, folder in folders.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            below = init.parent.relative_to(ROOT / folder).parts
            if package != "gpurules":
                assert ".".join([package, *below]) in packages


def test_data_is_found_where_it_was_installed() -> None:
    files = resources.files("gpurules.schemas")
    assert files.joinpath("rule.schema.json").is_file()
    assert files.joinpath("vocabulary", "workload.yaml").is_file()
    assert resources.files("gpurules.catalogs").joinpath("gpus.yaml").is_file()
    assert resources.files("gpurules.rules").joinpath("rulebook.yaml").is_file()


def test_importing_is_light() -> None:
    """What only the command line, reports or checks need is not imported with the package."""
    code = f"import sys, gpurules; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_public_surface() -> None:
    assert set(gpurules.__all__) == {"Decision", "GpurulesError", "Problem", "Rulebook", "evaluate", "load"}
    assert all(hasattr(gpurules, name) for name in gpurules.__all__)


def test_the_example_of_the_package_is_true() -> None:
    assert doctest.testmod(gpurules).failed == 0


def test_the_module_runs_as_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "gpurules.cli", "--version"], capture_output=True, text=True, check=True)
    assert VERSION in done.stdout
