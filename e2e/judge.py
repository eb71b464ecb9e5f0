"""What LoopX said, held against what the screen showed."""

from dataclasses import dataclass, field

from stage import NotThere
from term import Late

RANK = {"ok": 0, "n/a": 1, "unseen": 2, "unknown": 2, "WRONG": 3, "error": 4}


@dataclass
class Verdict:
    """One moment, or a whole cell, judged."""

    kind: str
    why: str = ""
    latency: float | None = None  # seconds from the screen to LoopX; below zero where LoopX was first
    moments: list = field(default_factory=list)


def facts(sample, handle):
    """What a sample says of a session."""
    return next((one for one in sample.sessions if one["session_id"] == handle), None)


def says(sample, handle):
    """The state a sample prints for a session."""
    one = facts(sample, handle)
    return one["state"] if one else "no such session"


def judge(moment, samples, handles, actions, blink):
    """One moment held against the samples; for `blink` seconds LoopX may still say what was so before."""
    handle = handles[moment.session] if moment.session < len(handles) else None
    broken = [sample for sample in samples if sample.failed and moment.since <= sample.began <= moment.until]
    if broken:
        return Verdict("WRONG", f"said {broken[0].failed!r}")
    samples = [sample for sample in samples if not sample.failed]
    right = lambda sample: says(sample, handle) in moment.states
    settled = [one for one in samples if moment.since + blink <= one.began and one.ended <= moment.until]
    if not settled:
        return Verdict("error", "no sample")
    bad = [sample for sample in settled if not right(sample)]
    wrong = [sample for sample in bad if says(sample, handle) not in ("unknown", "no such session")]
    expected = "|".join(moment.states)
    if wrong and moment.unseen and {says(one, handle) for one in wrong} == {"idle"}:
        return Verdict("unseen", f"still idle: {moment.unseen}")
    if wrong:
        first = wrong[0]
        share = f"{len(wrong)} of {len(settled)}"
        return Verdict("WRONG", f"said {says(first, handle)} expected {expected} ({share}, {basis(first, handle)})")
    if bad:
        first = bad[0]
        said = f"said {says(first, handle)} expected {expected} ({len(bad)} of {len(settled)}, {basis(first, handle)})"
        if moment.allowed:
            return Verdict("unknown", f"allowed by {moment.allowed}")
        return Verdict("WRONG", said)
    proof = facts(settled[-1], handle)["liveness"]
    if moment.liveness and proof not in moment.liveness:
        return Verdict("WRONG", f"said {proof} expected {'|'.join(moment.liveness)}")
    lane = party(moment, settled)
    if lane:
        return Verdict("WRONG", lane)
    return Verdict("ok", latency=latency(moment, samples, right, actions))


def basis(sample, handle):
    """What the state rests on."""
    one = facts(sample, handle)
    if not one:
        return "not listed"
    return " ".join([one["tier"], one["liveness"], *one["missing"]])


def party(moment, settled):
    """What is wrong with whom the lane is said to wait on, if anything."""
    if not moment.party:
        return None
    for sample in settled:
        if sample.lane and sample.lane["waiting_on"] not in moment.party:
            expected = "|".join(moment.party)
            return f"lane waits on {sample.lane['waiting_on']} (row {sample.lane['row']}) expected {expected}"
    return None


def latency(moment, samples, right, actions):
    """From the screen to the first time LoopX said so, and went on saying so."""
    start = max((at for at in actions if at < moment.since), default=0.0)
    first = None
    for sample in samples:
        if sample.ended < start or sample.ended > moment.until:
            continue
        if right(sample):
            first = first or sample.ended
        else:
            first = None
    return first - moment.since if first else None


def whole(verdicts):
    """A cell of its moments, or of its runs: the worst of them, and the longest latency."""
    worst = max(verdicts, key=lambda one: RANK[one.kind])
    late = [one.latency for one in verdicts if one.latency is not None]
    return Verdict(worst.kind, worst.why, max(late) if late else None)


def play(stage, cell, blink):
    """Plays a cell and judges it."""
    failed = None
    try:
        cell(stage)
    except NotThere as error:
        return Verdict("n/a", str(error)), []
    except Late as error:
        failed = f"{error}"
    stage.watcher.stop()
    moments = []
    actions = [moment.since for moment in stage.moments] + stage.actions
    for moment in stage.moments:
        verdict = judge(moment, stage.watcher.samples, stage.watcher.handles, actions, blink)
        verdict.name = moment.name
        moments.append(verdict)
    if failed:
        return Verdict("error", failed), moments
    verdict = whole(moments)
    if verdict.kind != "ok":
        worst = max(moments, key=lambda one: RANK[one.kind])
        verdict.why = f"{worst.name}: {worst.why}"
    return verdict, moments
