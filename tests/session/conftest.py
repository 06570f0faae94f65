"""Every test of the machine that asks for `kept` runs on both ways a session is kept."""

import pytest

from tests.session.app import App
from tests.session.kept import Stored, Whole


@pytest.fixture(params=[Whole, Stored], ids=["whole", "stored"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Whole]:
    kind: type[Whole] = request.param
    monkeypatch.setattr(App, "kept", kind)
    return kind
