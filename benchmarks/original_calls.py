"""Our calls of published programs that are no stand-alone scripts; run by their own Python.

``python original_calls.py CALL FOLDER`` loads the program in FOLDER, reads scenes as JSON from
standard input, and writes for each image recall, precision and further figures. An image at which
the program stops is null. The last entry holds the figures over all images, or is null.
"""

import collections.abc
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from xml.dom import minidom

Scene = Mapping[str, Any]
Figures = list[Sequence[float | None] | None]


def _stub(name: str, **attributes: Any) -> None:
    """Stand in for a module that the program imports and these calls do not use."""
    module = types.ModuleType(name)
    module.__dict__.update(attributes)
    sys.modules[name] = module


def _load(path: str, name: str = "") -> Any:
    spec = importlib.util.spec_from_file_location(name or "original", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name or "original"] = module
    spec.loader.exec_module(module)
    return module


def _pairs(points: Sequence[float]) -> list[Sequence[float]]:
    return [points[at : at + 2] for at in range(0, len(points), 2)]


def _with_overall(score: Callable[[Sequence[Scene]], Any], scenes: Sequence[Scene]) -> Figures:
    return [score([scene]) for scene in scenes] + [score(scenes)]


def paddleocr_iou(home: str, scenes: Sequence[Scene]) -> Figures:
    evaluator = _load(f"{home}/eval_det_iou.py").DetectionIoUEvaluator()

    def score(some: Sequence[Scene]) -> list[float]:
        counted = [
            evaluator.evaluate_image(
                [
                    {"points": _pairs(of["points"]), "ignore": of["ignored"]}
                    for of in scene["truth"]
                ],
                [{"points": _pairs(of["points"])} for of in scene["detections"]],
            )
            for scene in some
        ]
        if len(some) == 1 and not counted[0]["gtCare"]:
            # Its rule for such an image, which it does not return.
            return [1, 0 if counted[0]["detCare"] else 1]
        combined = evaluator.combine_results(counted)
        return [combined["recall"], combined["precision"], combined["hmean"]]

    return _with_overall(score, scenes)


def paddleocr_deteval(home: str, scenes: Sequence[Scene]) -> Figures:
    import numpy as np

    _stub("ppocr")
    _stub("ppocr.utils")
    _stub("ppocr.utils.utility", check_install=None)
    _stub("ppocr.utils.e2e_metric")
    _load(f"{home}/polygon_fast.py", "ppocr.utils.e2e_metric.polygon_fast")
    program = _load(f"{home}/Deteval.py")

    def score(some: Sequence[Scene]) -> list[float]:
        tables = []
        for scene in some:
            truth, found = (
                [{"points": np.array(_pairs(of["points"])), **of_side(of)} for of in scene[side]]
                for side, of_side in (
                    ("truth", lambda of: {"text": "" if of["ignored"] else "word"}),
                    ("detections", lambda of: {"texts": "word"}),
                )
            )
            tables.append(program.get_socre_A(truth, found))
        combined = program.combine_results(tables, rec_flag=False)
        return [combined["recall"], combined["precision"], combined["f_score"]]

    return _with_overall(score, scenes)


def mmocr(home: str, scenes: Sequence[Scene], strategy: str = "vanilla") -> Figures:
    import numpy as np

    # Only its base class, its log and its registry come from elsewhere.
    registry = types.SimpleNamespace(register_module=lambda: lambda of: of)
    log = types.SimpleNamespace(
        get_current_instance=lambda: types.SimpleNamespace(info=lambda _: None)
    )
    base = type("BaseMetric", (), {"__init__": lambda self, **_: setattr(self, "results", [])})
    _stub("torch", Tensor=type("Tensor", (), {}))
    _stub("mmengine")
    _stub("mmengine.utils", is_list_of=lambda of, kind: all(isinstance(one, kind) for one in of))
    _stub("mmengine.evaluator", BaseMetric=base)
    _stub("mmengine.logging", MMLogger=log)
    _stub("mmocr.registry", METRICS=registry)
    _stub("mmocr")
    _stub("mmocr.utils", bbox2poly=None, valid_boundary=None)
    _load(f"{home}/utils/check_argument.py", "mmocr.utils.check_argument")
    _stub("mmocr.utils.typing_utils", ArrayLike=Any)
    _stub("mmocr.utils", **vars(_load(f"{home}/utils/polygon_utils.py")))
    _stub("mmocr.evaluation")
    _stub("mmocr.evaluation.functional", **vars(_load(f"{home}/evaluation/functional/hmean.py")))
    program = _load(f"{home}/evaluation/metrics/hmean_iou_metric.py")

    def score(some: Sequence[Scene]) -> list[float]:
        # An image has no best threshold of its own: the lowest.
        sweep = (
            {} if len(some) > 1 else {"pred_score_thrs": {"start": 0.3, "stop": 0.31, "step": 1}}
        )
        metric = program.HmeanIOUMetric(strategy=strategy, **sweep)
        for scene in some:
            truth, found = (
                [np.array(of["points"]) for of in scene[side]] for side in ("truth", "detections")
            )
            ignored = np.array([of["ignored"] for of in scene["truth"]], dtype=bool)
            scores = [of["confidence"] for of in scene["detections"]]
            sample = {
                "pred_instances": {"polygons": found, "scores": scores},
                "gt_instances": {"polygons": truth, "ignored": ignored},
            }
            metric.process([], [sample])
        found_best = metric.compute_metrics(metric.results)
        return [found_best["recall"], found_best["precision"], found_best["hmean"]]

    return _with_overall(score, scenes)


def doctr(home: str, scenes: Sequence[Scene], *, boxes: bool = False) -> Figures:
    import numpy as np

    program = _load(f"{home}/metrics.py")

    def shaped(regions: Sequence[Mapping[str, Any]]) -> Any:
        corners = np.array([of["points"] for of in regions], dtype=float).reshape(-1, 4, 2)
        if boxes:
            return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
        return corners

    def score(some: Sequence[Scene]) -> list[float] | None:
        metric = program.LocalizationConfusion(use_polygons=not boxes)
        for scene in some:
            if not scene["truth"] and scene["detections"]:
                # It takes the largest of no numbers, and stops.
                if len(some) == 1:
                    return None
                continue
            metric.update(shaped(scene["truth"]), shaped(scene["detections"]))
        return list(metric.summary()[:2])

    figures = _with_overall(score, scenes)
    if None in figures:
        figures[-1] = None
    return figures


def text_det_metric(home: str, scenes: Sequence[Scene]) -> Figures:
    program = _load(f"{home}/main.py").TextDetMetric()

    def score(some: Sequence[Scene]) -> list[float]:
        counted = [
            program.evaluate_image(
                *(
                    [
                        {
                            "points": _pairs(of["points"]),
                            "text": "",
                            "ignore": is_truth and of["ignored"],
                        }
                        for of in scene[side]
                    ]
                    for side, is_truth in (("truth", True), ("detections", False))
                )
            )
            for scene in some
        ]
        of = counted[0] if len(some) == 1 else program.combine_results(counted)
        return [of["recall"], of["precision"], of.get("hmean", of.get("f1"))]

    return _with_overall(score, scenes)


def maptext(home: str, scenes: Sequence[Scene]) -> Figures:
    """Return recall, precision, tightness and quality; every word is a group of its own."""
    with tempfile.TemporaryDirectory() as made:
        paths = [Path(made) / name for name in ("truth.json", "found.json", "said.json")]
        for path, side in zip(paths, ("truth", "detections"), strict=False):
            images = [
                {
                    "image": f"{at}.png",
                    "groups": [
                        [
                            {
                                "vertices": _pairs(of["points"]),
                                "text": of["text"],
                                **(
                                    {"illegible": of["ignored"], "truncated": False}
                                    if side == "truth"
                                    else {}
                                ),
                            }
                        ]
                        for of in scene[side]
                    ],
                }
                for at, scene in enumerate(scenes)
            ]
            path.write_text(json.dumps(images), encoding="utf-8")
        named = [
            f"--{name}={path}" for name, path in zip(("gt", "pred", "output"), paths, strict=True)
        ]
        subprocess.run(
            [sys.executable, f"{home}/eval.py", *named, "--task=det"], check=True, stdout=sys.stderr
        )
        said = json.loads(paths[2].read_text(encoding="utf-8"))
    figures = [said["images"][f"{at}.png"] for at in range(len(scenes))] + [said["results"]]
    return [[of[key] for key in ("recall", "precision", "tightness", "quality")] for of in figures]


def coco(_: str, scenes: Sequence[Scene], package: str = "pycocotools") -> Figures:
    """Return the twelve figures of COCO's program, or of one in its place."""
    [(truth, results, masks)] = [(of["truth"], of["results"], of["masks"]) for of in scenes]
    if package == "pycocotools":
        from pycocotools import mask
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval as Evaluation
    else:
        from faster_coco_eval import COCO, mask
        from faster_coco_eval import COCOeval_faster as Evaluation
    sizes = {image["id"]: (image["height"], image["width"]) for image in truth["images"]}
    for found in results if masks else ():
        outline = mask.frPyObjects(found["segmentation"], *sizes[found["image_id"]])
        found["segmentation"] = mask.merge(outline)
    of = COCO()
    of.dataset = truth
    of.createIndex()
    evaluation = Evaluation(of, of.loadRes(results), "segm" if masks else "bbox")
    evaluation.evaluate(), evaluation.accumulate(), evaluation.summarize()
    return [[float(of) for of in list(evaluation.stats)[:12]]]


def torchmetrics_map(_: str, scenes: Sequence[Scene]) -> Figures:
    import torch

    try:
        import torchvision  # noqa: F401
    except RuntimeError:
        # A torch for processors alone has no compiled operators of torchvision. None is called here.
        operators = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    from torchmetrics.detection import MeanAveragePrecision

    [scene] = scenes
    metric = MeanAveragePrecision(box_format="xywh", backend="pycocotools")
    # COCO's program takes images by their numbers, which is the order of equal confidences.
    for image in sorted(scene["truth"]["images"], key=lambda of: of["id"]):
        sides = []
        for listed in (scene["results"], scene["truth"]["annotations"]):
            own = [of for of in listed if of["image_id"] == image["id"]]
            sides.append(
                {
                    "boxes": torch.tensor([of["bbox"] for of in own], dtype=torch.float64).reshape(
                        -1, 4
                    ),
                    "labels": torch.tensor([of["category_id"] for of in own], dtype=torch.int64),
                    "scores": torch.tensor(
                        [of.get("score", 1.0) for of in own], dtype=torch.float64
                    ),
                    "iscrowd": torch.tensor(
                        [of.get("iscrowd", 0) for of in own], dtype=torch.int64
                    ),
                    "area": torch.tensor([of.get("area", 0.0) for of in own], dtype=torch.float64),
                }
            )
        metric.update(sides[:1], sides[1:])
    found = metric.compute()
    names = ["map", "map_50", "map_75", *(f"map_{of}" for of in ("small", "medium", "large"))]
    names += ["mar_1", "mar_10", "mar_100", *(f"mar_{of}" for of in ("small", "medium", "large"))]
    return [[float(found[name]) for name in names]]


def cleval(home: str, scenes: Sequence[Scene], *, end_to_end: bool = False) -> Figures:
    sys.path.insert(0, home)
    # Its class for training is not called.
    _stub("torch")
    _stub("torchmetrics", Metric=object)
    from cleval import arg_parser, data, main

    flags = ["--E2E"] if end_to_end else []
    sys.argv = ["cleval", "-g", "-", "-s", "-", "-o", tempfile.mkdtemp(), *flags]
    parameters, whole = arg_parser.get_params(), data.GlobalResult()

    def lines(regions: Sequence[Mapping[str, Any]], *, with_text: bool) -> str:
        return "\n".join(
            ",".join([*(f"{value:.0f}" for value in of["points"]), *([of["text"]] * with_text)])
            for of in regions
        )

    def figures(stats: Any) -> list[float]:
        core = stats.e2e if end_to_end else stats.det
        return [core.recall, core.precision, core.hmean]

    found: Figures = []
    for scene in scenes:
        truth = lines(scene["truth"], with_text=True)
        detections = lines(scene["detections"], with_text=end_to_end)
        of_image = main.eval_single(parameters, truth, detections, "1")
        data.accumulate_result(whole, of_image, end_to_end)
        found.append(figures(of_image.stats))
    data.calculate_global_rph(whole, end_to_end)
    return [*found, figures(whole.stats)]


def popeval(home: str, scenes: Sequence[Scene]) -> Figures:
    program = _load(f"{home}/popEval.py")

    def counts(scene: Scene) -> list[int]:
        sides: list[Any] = []
        for side in ("truth", "detections"):
            sides.append([program.getPolygon(_pairs(of["points"])) for of in scene[side]])
            sides.append([of["text"] for of in scene[side]])
        kept = program.removeDoncareBox(*sides, "###")
        left = program.removeControversialBox(*program.removeNoncontroversialBox(*kept))
        n_truth, n_left = len("".join(kept[1])), len("".join(left[1]))
        return [n_truth - n_left, n_truth, len("".join(kept[3]))]

    def score(some: Sequence[Scene]) -> list[float]:
        struck, n_truth, n_found = map(sum, zip(*map(counts, some), strict=True))
        if not n_truth:
            return [1, 0 if n_found else 1]
        return [struck / n_truth, struck / n_found if n_found else 0]

    return _with_overall(score, scenes)


def voc(home: str, scenes: Sequence[Scene], method: str = "AllPointsInterpolation") -> Figures:
    sys.path.insert(0, home)
    from podm import metrics

    kind = metrics.MethodAveragePrecision[method]

    def score(some: Sequence[Scene]) -> list[float]:
        sides = [
            [
                metrics.BoundingBox.of_bbox(
                    str(at), "word", *_corners(of["points"]), of["confidence"]
                )
                for at, scene in enumerate(some)
                for of in scene[side]
            ]
            for side in ("truth", "detections")
        ]
        found = metrics.get_pascal_voc_metrics(*sides, 0.5, kind)["word"]
        return [float(found.ap)]

    return [None] * len(scenes) + [score(scenes)]


def _corners(points: Sequence[float]) -> list[float]:
    return [min(points[::2]), min(points[1::2]), max(points[::2]), max(points[1::2])]


def ctdar(home: str, scenes: Sequence[Scene]) -> Figures:
    """Return the counts of tables or relations, and the correct ones at each threshold."""
    collections.Iterable = collections.abc.Iterable  # type: ignore[attr-defined]
    sys.path.insert(0, home)
    program = _load(f"{home}/evaluate.py").eval
    figures: Figures = []
    for scene in scenes:
        documents = [minidom.parseString(scene[side]) for side in ("truth", "detections")]
        track = program.evaluate_result_str if scene["cells"] else program.evaluate_result_reg
        counted = [track(*documents, least) for least in (0.6, 0.7, 0.8, 0.9)]
        correct = [of.truePos for of in counted]
        figures.append([counted[0].gtTotal, counted[0].resTotal, *correct])
    return [*figures, None]


def deteval_wolf(home: str, scenes: Sequence[Scene]) -> Figures:
    """Return what ``evaldetection`` prints, which has six digits."""
    with tempfile.TemporaryDirectory() as made:
        paths = [str(Path(made, f"{side}.xml")) for side in ("detections", "truth")]
        for path, side in zip(paths, ("detections", "truth"), strict=True):
            images = (
                f"<image><imageName>{at:06}</imageName><taggedRectangles>"
                + "".join(_tagged(of["points"]) for of in scene[side] if not of.get("ignored"))
                + "</taggedRectangles></image>"
                for at, scene in enumerate(scenes)
            )
            Path(path).write_text(f"<tagset>{''.join(images)}</tagset>", encoding="utf-8")
        command = [f"{home}/evaldetection", *paths]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r'<score r="(.*?)" p="(.*?)" hmean="(.*?)"', said)
    return [*([float(of) for of in image] for image in found), None]


def _tagged(points: Sequence[float]) -> str:
    left, top, right, bottom = map(int, _corners(points))
    sides = f'width="{right - left + 1}" height="{bottom - top + 1}"'
    return f'<taggedRectangle x="{left}" y="{top}" {sides}/>'


SLOT_ERROR = """
import java.io.*;
import java.util.*;
import org.bionlpst.corpus.*;
import org.bionlpst.evaluation.*;
import org.bionlpst.evaluation.similarity.*;
import org.bionlpst.util.fragment.ImmutableFragment;

public class Call {
  static class Item extends TextBound { List<String> labels; }

  static void print(Similarity<Item> both, List<Pair<Item>> pairs) {
    for (StandardMeasures of : List.of(StandardMeasures.RECALL, StandardMeasures.SUBSTITUTIONS,
        StandardMeasures.INSERTIONS, StandardMeasures.DELETIONS))
      System.out.print(of.compute(both, pairs) + " ");
    System.out.println();
  }

  public static void main(String[] given) throws IOException {
    WangSimilarity wang = WangSimilarity.createFromParentsFile(
        new BufferedReader(new FileReader(given[0])), 0.65);
    Similarity<Item> both = new Similarity<>() {
      public double compute(Item a, Item b) {
        return TextBoundJaccard.INSTANCE.compute(a, b) * wang.compute(a.labels, b.labels);
      }
      public void explain(StringBuilder text, Item a, Item b) {}
    };
    List<Pair<Item>> all = new ArrayList<>();
    List<List<Item>> sides = List.of(new ArrayList<>(), new ArrayList<>());
    for (String line : new BufferedReader(new InputStreamReader(System.in)).lines().toList()) {
      String[] fields = line.split("\t");
      if (fields[0].equals("end")) {
        List<Pair<Item>> pairs = new PredictionPairing<Item>(0, true)
            .bestPairing(sides.get(0), sides.get(1), both);
        print(both, pairs);
        all.addAll(pairs);
        sides.forEach(List::clear);
        continue;
      }
      Item item = new Item();
      item.labels = List.of(fields[1].split(" "));
      for (String span : fields[2].split(" ")) {
        String[] ends = span.split("-");
        item.addFragment(new ImmutableFragment(
            Integer.parseInt(ends[0]), Integer.parseInt(ends[1])));
      }
      sides.get(Integer.parseInt(fields[0])).add(item);
    }
    print(both, all);
  }
}
"""


def slot_error(home: str, scenes: Sequence[Scene]) -> Figures:
    """Return recall, substitutions, insertions and deletions of documents, and of all of them."""
    lines = []
    for scene in scenes:
        for at, side in enumerate(("references", "predictions")):
            for item in scene[side]:
                spans = " ".join(f"{start}-{end}" for start, end in item["spans"])
                lines.append(f"{at}\t{' '.join(item['labels'])}\t{spans}\n")
        lines.append("end\n")
    with tempfile.TemporaryDirectory() as made:
        call = Path(made, "Call.java")
        call.write_text(SLOT_ERROR, encoding="utf-8")
        command = ["java", "-cp", f"{home}/classes", str(call), scenes[0]["parents"]]
        said = subprocess.run(
            command, input="".join(lines), capture_output=True, text=True, check=True
        ).stdout
    return [[float(of) for of in line.split()] for line in said.splitlines()]


def no_ground_truth(_: str, scenes: Sequence[Scene]) -> Figures:
    """Return precision and recall of each method in turn, by pixels weighted with their votes."""
    import numpy as np
    from sklearn.metrics import precision_recall_fscore_support

    figures: Figures = []
    for scene in scenes:
        n = len(scene["methods"])
        marked = np.zeros((scene["height"], scene["width"]), dtype=int)
        for at, detections in enumerate(scene["methods"]):
            for of in detections:
                (left, top), _, (right, bottom), _ = of["polygon"]
                marked[top:bottom, left:right] |= 1 << at
        # A pixel with all its votes is a document, twice: relevant and not.
        areas = np.bincount(marked.ravel(), minlength=1 << n)
        votes = np.arange(1 << n) >> np.arange(n)[:, np.newaxis] & 1
        relevance = (votes.sum(axis=0) + 1) / (n + 2)
        weights = np.concatenate([areas * relevance, areas * (1 - relevance)])
        true = np.repeat([1, 0], 1 << n)
        found: list[float | None] = []
        for own in votes:
            of_method = precision_recall_fscore_support(
                true,
                np.tile(own, 2),
                sample_weight=weights,
                average="binary",
                zero_division=0,
            )
            found += [float(of_method[0]) if areas @ own else None, float(of_method[1])]
        figures.append(found)
    return figures


CALLS: dict[str, Callable[[str, Sequence[Scene]], Figures]] = {
    "paddleocr_iou": paddleocr_iou,
    "paddleocr_deteval": paddleocr_deteval,
    "mmocr": mmocr,
    "mmocr_most": partial(mmocr, strategy="max_matching"),
    "doctr": doctr,
    "doctr_boxes": partial(doctr, boxes=True),
    "text_det_metric": text_det_metric,
    "maptext": maptext,
    "coco": coco,
    "coco_faster": partial(coco, package="faster"),
    "torchmetrics_map": torchmetrics_map,
    "cleval": cleval,
    "cleval_end_to_end": partial(cleval, end_to_end=True),
    "popeval": popeval,
    "voc": voc,
    "voc2007": partial(voc, method="ElevenPointsInterpolation"),
    "ctdar": ctdar,
    "deteval_wolf": deteval_wolf,
    "slot_error": slot_error,
    "no_ground_truth": no_ground_truth,
}

if __name__ == "__main__":
    given = json.load(sys.stdin)
    # A program may print; results go elsewhere.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    json.dump(CALLS[sys.argv[1]](sys.argv[2], given), answer)
