"""The benchmark of the protocols runs, and what it writes has the shape it should; no time is judged."""

import json

from benchmarks import protocols as benchmark
from protocols import registry


def test_a_quick_run_on_generated_data_writes_every_protocol(tmp_path, capsys):
    out = tmp_path / "times.json"
    benchmark.main(["--quick", "--data", str(tmp_path / "absent"), "--json", str(out)])
    found = json.loads(out.read_text())
    assert set(found) == {"about", "rows", "growth", "left_out"}
    timed = {row["protocol"] for row in found["rows"]}
    assert timed == {*registry.PROTOCOLS, "the 7 of the paper"} - {"table-structure"}
    for row in found["rows"]:
        assert row["score_seconds"] > 0
        assert row["regions_per_second"] > 0
        assert (row["target"] is None) == (row["target_met"] is None)
    for grown in found["growth"]:
        assert len(grown["seconds"]) == len(grown["sizes"]) == len(grown["ratios"]) + 1
    n_parts = len(benchmark.RESULT_SETS) + 3
    assert len(found["left_out"]) == n_parts, "each absent part has its sentence"
    printed = capsys.readouterr().out
    assert "come from another machine" in printed
    assert all(sentence in printed for sentence in found["left_out"])
