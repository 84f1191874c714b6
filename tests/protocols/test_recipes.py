"""Recipes of the how-to for other frameworks, as they are written there; skipped without them."""

import json

import numpy as np
import pytest
from PIL import Image

from tests.support.documents import ROOT, blocks_of

HOW_TO = ROOT / "docs" / "how-to" / "training-loop.md"


def recipe(first_line):
    [block] = [of for of in blocks_of(HOW_TO) if first_line in of.text]
    names = {}
    exec(compile(block.text, str(HOW_TO), "exec"), names)
    return names


def test_lightning_logs_the_figures_of_a_validation():
    lightning = pytest.importorskip("lightning", reason="needs Lightning")
    torch = pytest.importorskip("torch", reason="needs torch")

    class Model(lightning.LightningModule):
        def validation_step(self, batch, batch_idx):
            word = torch.tensor([[0.0, 0.0, 100.0, 40.0]])
            truth = torch.cat([word, word + 200])
            return {"detections": [{"boxes": word}], "truths": [{"boxes": truth}]}

    trainer = lightning.Trainer(
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_checkpointing=False,
        callbacks=[recipe("import lightning")["TextDetection"]("iou")],
    )
    [logged] = trainer.validate(Model(), torch.utils.data.DataLoader([0, 1]), verbose=False)
    assert (logged["val_recall"], logged["val_precision"]) == (0.5, 1.0)


def test_ultralytics_calls_it_with_the_detections_of_a_validation(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("YOLO_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("YOLO_OFFLINE", "true")
    ultralytics = pytest.importorskip("ultralytics", reason="needs Ultralytics")
    names = ("street", "shop")
    for folder in ("images", "labels"):
        tmp_path.joinpath(folder).mkdir()
    for name in names:
        Image.fromarray(np.zeros((80, 120, 3), np.uint8)).save(tmp_path / f"images/{name}.png")
        tmp_path.joinpath(f"labels/{name}.txt").write_text("0 0.5 0.5 0.4 0.3\n")
    data = tmp_path / "words.yaml"
    data.write_text(f"path: {tmp_path}\ntrain: images\nval: images\nnames: {{0: word}}\n")
    truth = {
        "images": [{"id": name, "file_name": f"{name}.png"} for name in names],
        "categories": [{"id": 1, "name": "word"}],
        "annotations": [
            {"id": at, "image_id": name, "category_id": 1, "bbox": [36, 28, 48, 24]}
            for at, name in enumerate(names)
        ],
    }
    tmp_path.joinpath("annotations.json").write_text(json.dumps(truth))
    monkeypatch.chdir(tmp_path)
    model = ultralytics.YOLO("yolo11n.yaml")
    model.add_callback("on_val_end", recipe("def score(validator)")["score"])
    model.val(
        data=str(data),
        save_json=True,
        plots=False,
        imgsz=64,
        conf=0.0001,
        workers=0,
        verbose=False,
    )
    said = capsys.readouterr().out
    assert "iou {'recall': 0.0" in said
    assert "deteval {'recall': " in said
