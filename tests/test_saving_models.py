"""A model that was saved and loaded does what it did before."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import honem
from honem import HONEM, InputError, OutputError, ParameterError
from honem.embedding.factorizations import WeightedFactorization
from honem.embedding.transforms import Diffusion, near_itself
from honem.io.parts import PARTS
from tests.comparing import assert_same_matrix

TRIPS = [[1, "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20 + [["centre", "park"]] * 5
OLD = Path(__file__).parent / "explain" / "data" / "store_0_1_0"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"preset": "paper", "max_order": 1, "tau": 0.5, "random_state": 7, "n_jobs": 1},
        {"criterion": "divergence", "tau": 0.5},
        {"criterion": "significance", "alpha": np.float64(0.01), "count": "sequences", "preset": "paper"},
        {"order_weights": "learnt"},
        {"order_weights": "constant", "combination": "maximum"},
        {"order_weights": [1, 0.5, 0.2], "transforms": ("near_itself", "both_ways"), "spectrum": (1, 0.4)},
        {"transforms": [near_itself], "tilt": np.float64(0.2), "min_support": np.int64(2)},
        {"preset": "spatial", "length_power": 0.5, "score": "cosine"},
        {"factorization": WeightedFactorization(0.2, 0.1), "transforms": [Diffusion((0.5,)), "log_scale"]},
    ],
)
def test_a_loaded_model_does_what_it_did(options: dict[str, Any], tmp_path: Path) -> None:
    model = HONEM(2, **options).fit(TRIPS)
    model.save(tmp_path / "model")
    loaded = HONEM.load(tmp_path / "model")
    assert loaded.recipe_.to_dict() == model.recipe_.to_dict()
    assert loaded.plan()[0] == model.plan()[0]
    nodes = list(model.embedding_.nodes)
    np.testing.assert_array_equal(loaded.transform(nodes), model.transform(nodes))
    assert loaded.predict_next([1, "centre"]) == model.predict_next([1, "centre"])
    assert loaded.explain("centre") == model.explain("centre")
    assert str(loaded.explain(1, "library")) == str(model.explain(1, "library"))
    assert loaded.explain(1, "library") == model.explain(1, "library")
    assert loaded.embedding_.neighbors("home", 2) == model.embedding_.neighbors("home", 2)
    assert loaded.compare(model, k=2).mean_share == 0
    assert loaded.profile().columns == model.profile().columns
    np.testing.assert_array_equal(loaded.profile().values, model.profile().values)
    assert_same_matrix(loaded.neighborhood_.matrix, model.neighborhood_.matrix)
    assert_same_matrix(loaded.proximity_, model.proximity_)
    again = loaded.fit(TRIPS)
    np.testing.assert_array_equal(again.embedding_.source, model.embedding_.source)


def test_parameters_come_back(tmp_path: Path) -> None:
    given = HONEM(2, min_support=3, order_weights=[1.0, 0.5], transforms=["both_ways"], verbose=True, n_jobs=2)
    given.fit(TRIPS).save(tmp_path / "model")
    assert HONEM.load(tmp_path / "model").get_params() == given.set_params(transforms=("both_ways",)).get_params()


def test_a_model_is_explained_by_the_recipe_of_its_fit(tmp_path: Path) -> None:
    model = HONEM(2).fit(TRIPS)
    told = model.explain(1, "library")
    model.set_params(preset="paper").save(tmp_path / "model")
    loaded = HONEM.load(tmp_path / "model")
    assert model.explain(1, "library") == loaded.explain(1, "library") == told
    assert loaded.preset == "paper"
    assert model.fit(TRIPS).explain(1, "library") != told


def test_the_command_line_reads_what_python_saved_and_the_other_way_round(tmp_path: Path) -> None:
    from honem.cli.main import main

    (tmp_path / "paths.txt").write_text("dorm centre library\n" * 20 + "home centre office\n" * 20)
    folder = str(tmp_path / "store")
    assert main(["embed", str(tmp_path / "paths.txt"), "-o", folder, "--dim", "2"]) == 0
    model = HONEM.load(folder)
    expected = HONEM(2).fit([["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20)
    assert model.explain("dorm", "library") == expected.explain("dorm", "library")
    model.save(tmp_path / "again")
    assert main(["explain", str(tmp_path / "again"), "dorm", "library"]) == 0


def test_a_store_of_version_0_1_0_is_a_model() -> None:
    model = HONEM.load(OLD)
    assert (model.n_components, model.tilt, model.recipe_.combination) == (3, 0.3, "maximum")
    fitted = HONEM(3, tilt=0.3).fit(
        [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20 + [["centre", "park"]] * 5
    )
    # A column has two entries of the same size, so rounding decides its sign.
    np.testing.assert_allclose(np.abs(model.embedding_.source), np.abs(fitted.embedding_.source), atol=1e-12)
    assert abs(model.explain("dorm", "library").score.unexplained) < 1e-12


def test_a_store_without_a_profile_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="loaded from a store without a profile; fit it to the paths again"):
        HONEM.load(OLD).profile()
    HONEM.load(OLD).save(tmp_path / "again")
    assert honem.load(tmp_path / "again").profile is None


def test_a_profile_of_other_nodes_or_columns_is_refused(tmp_path: Path) -> None:
    model, other = HONEM(2).fit(TRIPS), HONEM(2).fit([["a", "b"]])
    with pytest.raises(ParameterError, match="the profile is about 2 nodes that are not the 6"):
        honem.save(tmp_path / "model", model.embedding_, profile=other.profile())
    honem.save(tmp_path / "model", model.embedding_, profile=model.profile())
    unknown = SimpleNamespace(values=np.zeros((6, 1)), columns=("degree",))  # as a later version might write
    PARTS["profile"].write(tmp_path / "newer.parquet", unknown)
    with pytest.raises(InputError, match="does not hold the profile of 6 nodes: 'degree' is not a column"):
        PARTS["profile"].read(tmp_path / "newer.parquet", model.embedding_.vocabulary)
    assert honem.load(tmp_path / "model", with_profile=False).profile is None
    np.testing.assert_array_equal(honem.load(tmp_path / "model").profile.values, model.profile().values)  # type: ignore[union-attr]


def test_code_is_not_stored_and_nothing_is_written(tmp_path: Path) -> None:
    model = HONEM(2, transforms=[lambda matrix: 2 * matrix]).fit(TRIPS)
    with pytest.raises(ParameterError, match=r"transforms holds .* cannot be stored"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()
    honem.save(tmp_path / "vectors", model.embedding_, model.rules_)
    with pytest.raises(InputError, match="vectors without their recipe"):
        HONEM.load(tmp_path / "vectors")


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        HONEM().save(tmp_path / "model")
    model = HONEM(2).fit(TRIPS)
    honem.save(tmp_path / "vectors", model.embedding_, recipe=model.recipe_.to_dict())
    with pytest.raises(InputError, match="vectors without their rules"):
        HONEM.load(tmp_path / "vectors")
    recipe, parameters = model.recipe_.to_dict(), {"beta": 0.05}
    honem.save(tmp_path / "newer", model.embedding_, model.rules_, recipe=recipe, parameters=parameters)
    with pytest.raises(InputError, match="the parameter 'beta', which this version does not know"):
        HONEM.load(tmp_path / "newer")
    model.save(tmp_path / "model")
    with pytest.raises(OutputError, match="force"):
        model.save(tmp_path / "model")
    model.save(tmp_path / "model", force=True)


@pytest.mark.parametrize("options", [{"criterion": "divergence", "tau": 0.5}, {"alpha": 0.01, "count": "sequences"}])
def test_without_parameters_the_store_says_what_it_can(tmp_path: Path, options: dict[str, Any]) -> None:
    model = HONEM(2, **options).fit(TRIPS)
    honem.save(tmp_path / "model", model.embedding_, model.rules_, recipe=model.recipe_.to_dict())
    loaded = HONEM.load(tmp_path / "model")
    assert loaded.n_components == 2
    assert {name: getattr(loaded, name) for name in options} == options
