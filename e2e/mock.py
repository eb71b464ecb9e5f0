"""A loopback stand-in for the two vendors' model interfaces, which answers by a plan.

Anthropic's `/v1/messages` and OpenAI's `/v1/responses`, both as event streams. A prompt names a scene by a word in
square brackets, `[tool]`; a scene is a list of steps, and the step taken is the number of tool results that came
after that prompt. Whatever names no scene (titles, summaries) gets a line of text.
"""

import gzip
import json
import re
import shutil
import subprocess
import threading
import time
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SCENE = re.compile(r"\[([a-z][a-z0-9-]*)\]")
SUMMARY = ("create a detailed summary", "CONTEXT CHECKPOINT COMPACTION", "TEXT ONLY")


@dataclass
class Step:
    """One answer of the model."""

    text: str = ""
    tools: list = field(default_factory=list)  # of (name, input); a str as input makes a custom call
    status: int = 200
    wait: float = 0.0  # seconds between the request and the first byte
    gate: threading.Event | None = None  # waited for, too
    drip: float = 0.0  # seconds that the text takes


class Plan:
    """What is answered to which scene, and what was asked."""

    def __init__(self, scenes=None, summary=None):
        self.scenes = dict(scenes or {})
        self.summary = summary or Step("Summary of the talk so far.")
        self.asked = []
        self.lock = threading.Lock()

    def step(self, path, texts, results, tools):
        """The step for a request: `texts` are (position, text) of the user, `results` the positions of results."""
        scene, at = None, -1
        last = texts[-1][1] if texts else ""
        summing = any(mark in last for mark in SUMMARY)
        for position, text in texts:
            for name in SCENE.findall(text):
                if name in self.scenes:
                    scene, at = name, position
        taken = sum(1 for position in results if position > at)
        with self.lock:
            self.asked.append(
                {
                    "at": time.time(),
                    "path": path,
                    "scene": "summary" if summing else scene,
                    "step": taken,
                    "tools": tools,
                }
            )
        if summing:
            return self.summary
        if scene is None or not tools:
            return Step("Plain words")
        steps = self.scenes[scene]
        return steps[min(taken, len(steps) - 1)]

    def last(self, scene):
        """When a scene was last asked for."""
        with self.lock:
            return max((one["at"] for one in self.asked if one["scene"] == scene), default=None)

    def offered(self, scene):
        """The tools that stood in the last request for a scene."""
        with self.lock:
            return next((one["tools"] for one in reversed(self.asked) if one["scene"] == scene and one["tools"]), None)


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def body(self):
        if self.headers.get("transfer-encoding") == "chunked":
            data = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        coding = self.headers.get("content-encoding")
        if coding == "gzip":
            data = gzip.decompress(data)
        elif coding == "zstd" and shutil.which("zstd"):
            data = subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=False).stdout
        return data

    def document(self, value, status=200, headers=()):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def stream(self, events, headers=(), drip=0.0):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
            if drip and event["type"].endswith("delta"):
                time.sleep(drip)
        self.close_connection = True

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self):
        self.document({"object": "list", "data": [], "models": []})

    def do_POST(self):
        try:
            asked = json.loads(self.body())
        except ValueError:
            asked = {}
        path = self.path.split("?")[0]
        try:
            if path.endswith("/v1/messages"):
                self.anthropic(path, asked)
            elif path.endswith("/responses"):
                self.openai(path, asked)
            elif path.endswith("/count_tokens"):
                self.document({"input_tokens": 1000})
            else:
                self.document({})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    @staticmethod
    def pause(step):
        if step.wait:
            time.sleep(step.wait)
        if step.gate is not None:
            step.gate.wait(120)

    # Anthropic

    def anthropic(self, path, asked):
        texts, results = [], []
        for position, message in enumerate(asked.get("messages", [])):
            content = message.get("content")
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
            for block in blocks:
                if block.get("type") == "tool_result":
                    results.append(position)
                elif block.get("type") == "text" and message.get("role") == "user":
                    texts.append((position, block.get("text", "")))
        tools = [tool.get("name") for tool in asked.get("tools") or []]
        step = self.server.plan.step(path, texts, results, tools)
        self.pause(step)
        limits = anthropic_limits()
        if step.status == 429:
            error = {"type": "rate_limit_error", "message": "This request would exceed a rate limit."}
            headers = [("retry-after", "3600"), ("x-should-retry", "false"), *limits]
            return self.document({"type": "error", "error": error}, 429, headers)
        if step.status != 200:
            error = {"type": "api_error", "message": "Internal server error"}
            return self.document({"type": "error", "error": error}, step.status, [("x-should-retry", "false")])
        usage = {
            "input_tokens": 12,
            "cache_creation_input_tokens": 100,
            "cache_read_input_tokens": 2000,
            "output_tokens": 3,
        }
        head = {
            "id": "msg_" + uuid.uuid4().hex[:24],
            "type": "message",
            "role": "assistant",
            "model": asked.get("model"),
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        if not asked.get("stream"):
            head |= {"content": [{"type": "text", "text": step.text or "ok"}], "stop_reason": "end_turn"}
            return self.document(head, 200, limits)
        return self.stream(anthropic_events(step, head), limits, pace(step))

    # OpenAI

    def openai(self, path, asked):
        texts, results = [], []
        for position, item in enumerate(asked.get("input", [])):
            if not isinstance(item, dict):
                continue
            if str(item.get("type", "")).endswith("_output"):
                results.append(position)
            elif item.get("role") == "user":
                for block in item.get("content") or []:
                    if isinstance(block, dict) and "text" in block:
                        texts.append((position, block["text"]))
        tools = [tool.get("name") or tool.get("type") for tool in asked.get("tools") or []]
        step = self.server.plan.step(path, texts, results, tools)
        self.pause(step)
        limits = openai_limits(100.0 if step.status == 429 else 12.5)
        if step.status == 429:
            error = {
                "type": "usage_limit_reached",
                "message": "The usage limit has been reached",
                "plan_type": "plus",
                "resets_at": int(time.time()) + 3600,
            }
            return self.document({"error": error}, 429, limits)
        if step.status != 200:
            return self.document({"error": {"message": "Internal server error"}}, step.status)
        return self.stream(openai_events(step), limits, pace(step))


def pace(step):
    """Seconds between two pieces of the text."""
    return step.drip / max(1, len(pieces(step.text))) if step.drip else 0.0


def pieces(text):
    """The text in pieces."""
    return re.findall(r"\S+\s*", text) or ([text] if text else [])


def anthropic_limits():
    """The headers of a subscription's windows."""
    soon, later = int(time.time()) + 9000, int(time.time()) + 400000
    return [
        ("anthropic-ratelimit-unified-status", "allowed"),
        ("anthropic-ratelimit-unified-5h-utilization", "0.25"),
        ("anthropic-ratelimit-unified-5h-reset", str(soon)),
        ("anthropic-ratelimit-unified-7d-utilization", "0.4"),
        ("anthropic-ratelimit-unified-7d-reset", str(later)),
    ]


def openai_limits(used):
    """The headers of a subscription's windows."""
    soon, later = int(time.time()) + 9000, int(time.time()) + 400000
    return [
        ("x-codex-primary-used-percent", str(used)),
        ("x-codex-primary-window-minutes", "300"),
        ("x-codex-primary-reset-at", str(soon)),
        ("x-codex-secondary-used-percent", "40"),
        ("x-codex-secondary-window-minutes", "10080"),
        ("x-codex-secondary-reset-at", str(later)),
    ]


def anthropic_events(step, head):
    """The events of a streamed message."""
    yield {"type": "message_start", "message": head}
    at = 0
    if step.text:
        yield {"type": "content_block_start", "index": at, "content_block": {"type": "text", "text": ""}}
        for piece in pieces(step.text):
            delta = {"type": "text_delta", "text": piece}
            yield {"type": "content_block_delta", "index": at, "delta": delta}
        yield {"type": "content_block_stop", "index": at}
        at += 1
    for name, given in step.tools:
        block = {"type": "tool_use", "id": "toolu_" + uuid.uuid4().hex[:24], "name": name, "input": {}}
        yield {"type": "content_block_start", "index": at, "content_block": block}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(given)}
        yield {"type": "content_block_delta", "index": at, "delta": delta}
        yield {"type": "content_block_stop", "index": at}
        at += 1
    reason = "tool_use" if step.tools else "end_turn"
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": 57},
    }
    yield {"type": "message_stop"}


def openai_events(step):
    """The events of a streamed response."""
    base = {"id": "resp_" + uuid.uuid4().hex[:24], "object": "response"}
    yield {"type": "response.created", "response": base | {"status": "in_progress"}}
    made = []
    if step.text:
        item = {"type": "message", "id": "msg_" + uuid.uuid4().hex[:24], "role": "assistant"}
        yield {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": item | {"status": "in_progress", "content": []},
        }
        for piece in pieces(step.text):
            yield {
                "type": "response.output_text.delta",
                "item_id": item["id"],
                "output_index": 0,
                "content_index": 0,
                "delta": piece,
            }
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        item |= {"status": "completed", "content": content}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        made.append(item)
    for name, given in step.tools:
        item = {"id": "fc_" + uuid.uuid4().hex[:24], "call_id": "call_" + uuid.uuid4().hex[:24], "name": name}
        if isinstance(given, str):
            item |= {"type": "custom_tool_call", "input": given, "status": "completed"}
        else:
            item |= {"type": "function_call", "arguments": json.dumps(given), "status": "completed"}
            if "__" in name:
                space, _, own = name.rpartition("__")
                item |= {"namespace": space, "name": own}
        at = len(made)
        yield {"type": "response.output_item.added", "output_index": at, "item": item}
        yield {"type": "response.output_item.done", "output_index": at, "item": item}
        made.append(item)
    usage = {
        "input_tokens": 2100,
        "input_tokens_details": {"cached_tokens": 2000},
        "output_tokens": 57,
        "output_tokens_details": {"reasoning_tokens": 11},
        "total_tokens": 2157,
    }
    yield {
        "type": "response.completed",
        "response": base | {"status": "completed", "output": made, "usage": usage},
    }


class Server(ThreadingHTTPServer):
    """The stand-in, on a free port of the loopback."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, plan):
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan = plan
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True)
        self.thread.start()

    @property
    def address(self):
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        pass

    def close(self):
        """Stops it."""
        self.shutdown()
        self.server_close()
