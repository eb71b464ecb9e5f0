"""The two runtimes: how each is installed, set up, begun, and what its screen shows when."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

VERSIONS = {"claude_code": ["2.1.332", "2.0.76"], "codex": ["0.171.0", "0.125.0"]}
PACKAGES = {"claude_code": "@anthropic-ai/claude-code", "codex": "@openai/codex"}

CLAUDE_EVENTS = {
    "2.0": """PreToolUse PostToolUse PostToolUseFailure Notification UserPromptSubmit SessionStart SessionEnd Stop
        SubagentStart SubagentStop PreCompact PermissionRequest""",
    "2.1": """PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
        UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact
        PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted
        Elicitation ElicitationResult ConfigChange InstructionsLoaded CwdChanged DirectoryAdded""",
}
CODEX_EVENTS = {
    "old": "SessionStart UserPromptSubmit PreToolUse PermissionRequest PostToolUse Stop",
    "new": """SessionStart SessionEnd UserPromptSubmit PreToolUse PermissionRequest PostToolUse PreCompact PostCompact
        SubagentStart SubagentStop Stop Interrupt PreModelRequest PostModelRequest""",
}


def install(cache, runtime, version):
    """The vendor's package in the cache, fetched by npm where it is not there yet; returns the program."""
    folder = Path(cache) / f"{runtime}-{version}"
    program = folder / "node_modules" / ".bin" / ("claude" if runtime == "claude_code" else "codex")
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        print(f"fetching {PACKAGES[runtime]}@{version}", file=sys.stderr)
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", f"{PACKAGES[runtime]}@{version}"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return program


def base_environment(stage):
    """What every child gets: nothing of ours, and no way out but the loopback."""
    return {
        "HOME": str(stage.home),
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "TZ": "UTC",
        "TMPDIR": str(stage.temporary),
        "LOOPX_HOME": str(stage.loopx_home),
        "HTTP_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1,localhost",
        "npm_config_offline": "true",
    }


def hook_commands(stage, runtime):
    """The commands that hooks run, by the mode."""
    commands = []
    if stage.hooks == "loopx":
        commands.append(shlex.join([str(stage.loopx), "hook", runtime, "--prompts"]))
    if stage.record:
        recorder = [sys.executable, "-S", "-E", str(HERE / "record.py"), str(stage.root / "hooks.jsonl")]
        commands.append(shlex.join(recorder))
    return commands


def hooks_table(events, commands):
    """The `hooks` table both runtimes read."""
    one = [{"type": "command", "command": command} for command in commands]
    return {event: [{"matcher": "*", "hooks": one}] for event in events}


class ClaudeCode:
    """Claude Code."""

    name = "claude_code"
    lane = "claude"
    READY = r"^[❯>](\s|$)"
    BUSY = r"esc to interrupt|esc to cancel · |^[✻✽✶✢·*✳∗] \w+….*(interrupt|\d+s)"
    PROMPT = r"Do you want to proceed\?|Do you want to"
    QUESTION = r"Which way\?"
    ASKS = r"Enter to select"
    PLAN = r"Would you like to proceed\?|Exit plan mode\?|ready to execute"
    LIMIT = r"(?i)rate limit|429"
    COMPACTING = r"(?i)Compacting"
    COMPACTED = r"(?i)Conversation compacted|Compacted \(|Compacted conversation"
    INTERRUPTED = r"Interrupted"
    AT_WORK = r"\./work \d+"

    def __init__(self, version):
        self.version = version
        self.new = version.startswith("2.1")
        self.registry = self.new

    def events(self):
        """The events this version knows."""
        return CLAUDE_EVENTS[".".join(self.version.split(".")[:2])].split()

    def folder(self, stage):
        """Where it keeps its things."""
        return stage.root / "claude"

    def environment(self, stage):
        """Its environment."""
        return base_environment(stage) | {
            "CLAUDE_CONFIG_DIR": str(self.folder(stage)),
            "ANTHROPIC_BASE_URL": stage.mock.address,
            "ANTHROPIC_AUTH_TOKEN": "loopback",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
        }

    def set_up(self, stage):
        """Writes its settings."""
        folder = self.folder(stage)
        folder.mkdir()
        known = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        state = {"hasCompletedOnboarding": True, "theme": "dark", "projects": {str(stage.project): known}}
        (folder / ".claude.json").write_text(json.dumps(state), encoding="utf-8")
        settings = {"permissions": {"defaultMode": "default", "allow": ["Bash(./work:*)", "Bash(./work)"]}}
        commands = hook_commands(stage, self.name)
        if commands:
            settings["hooks"] = hooks_table(self.events(), commands)
        if stage.record:
            recorder = [sys.executable, "-S", "-E", str(HERE / "record.py"), str(stage.root / "statusline.jsonl")]
            settings["statusLine"] = {"type": "command", "command": shlex.join(recorder)}
        (folder / "settings.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")

    def command(self, stage, *more):
        """The command line."""
        mode = [] if "--permission-mode" in more else ["--permission-mode", "default"]
        return [str(stage.program), *mode, *more]

    def ready(self, stage):
        """Waits for its input line, past what it asks at the start."""
        pane = stage.pane
        for _ in range(4):
            pane.wait(f"{self.READY}|auto mode", 30)
            stage.nap(1.0)
            if "auto mode your default" in pane.text():
                pane.keys("Down")
                stage.nap(0.3)
                pane.keys("Enter")
                stage.nap(0.8)
                continue
            if "Resume from summary" in pane.text():
                pane.keys("Down", "Enter")
                continue
            return

    def pids(self, stage):
        """The runtime's own process first."""
        return [stage.pane.pids()[0]]

    def tool(self, command):
        """A call of its shell."""
        return ("Bash", {"command": command, "description": "Do a piece of work"})

    def asking(self, command):
        """A call that needs permission."""
        return self.tool(command)

    def question(self):
        """A call that asks the user."""
        options = [{"label": "Left", "description": "Go left"}, {"label": "Right", "description": "Go right"}]
        asked = {"question": "Which way?", "header": "Way", "options": options, "multiSelect": False}
        return ("AskUserQuestion", {"questions": [asked]})


class Codex:
    """Codex."""

    name = "codex"
    lane = "codex"
    READY = r"^› "
    BUSY = r"esc to interrupt"
    PROMPT = r"Would you like to run the following command\?"
    QUESTION = r"Which way\?"
    ASKS = r"enter to submit|Question 1/1"
    PLAN = r"Implement this plan\?"
    LIMIT = r"(?i)usage limit|hit your"
    COMPACTING = r"esc to interrupt"
    COMPACTED = r"(?i)Context compacted"
    INTERRUPTED = r"[Cc]onversation interrupted"
    # A command of some length is counted below the answer and shown when it has ended.
    AT_WORK = r"\./work \d+|1 background terminal running"

    def __init__(self, version):
        self.version = version
        self.new = int(version.split(".")[1]) >= 150
        self.registry = False

    def events(self):
        """The events this version knows."""
        return CODEX_EVENTS["new" if self.new else "old"].split()

    def folder(self, stage):
        """Where it keeps its things."""
        return stage.root / "codex"

    def environment(self, stage):
        """Its environment."""
        return base_environment(stage) | {"CODEX_HOME": str(self.folder(stage)), "LOOPBACK_KEY": "loopback"}

    def set_up(self, stage):
        """Writes its settings."""
        folder = self.folder(stage)
        folder.mkdir()
        commands = hook_commands(stage, self.name)
        if commands:
            table = {"hooks": hooks_table(self.events(), commands)}
            (folder / "hooks.json").write_text(json.dumps(table, indent=2), encoding="utf-8")
        notify = ""
        if stage.record:
            recorder = [sys.executable, "-S", "-E", str(HERE / "record.py"), str(stage.root / "notify.jsonl")]
            notify = f"notify = {json.dumps(recorder)}"
        features = "default_mode_request_user_input = true\n" + ("" if self.new else "codex_hooks = true\n")
        settings = f"""\
model = "gpt-5.4"
model_provider = "loopback"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
{notify}

[model_providers.loopback]
name = "loopback"
base_url = "{stage.mock.address}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
request_max_retries = 0
stream_max_retries = 0

[features]
{features}
[analytics]
enabled = false

[feedback]
enabled = false

[projects.{json.dumps(str(stage.project))}]
trust_level = "trusted"
"""
        (folder / "config.toml").write_text(settings, encoding="utf-8")

    def command(self, stage, *more):
        """The command line."""
        return [str(stage.program), *more]

    def ready(self, stage):
        """Waits for its input line, past what it asks at the start."""
        # The input line is there before the session is; the line below it names the model when it is.
        session, review = r"^ +gpt-5\.4 \w+ · ", "Hooks need review"
        at = stage.pane.wait(f"{session}|{review}", 30)
        if review in stage.pane.text():
            stage.nap(0.5)
            stage.pane.keys("Down")
            stage.nap(0.3)
            stage.pane.keys("Enter")
            stage.pane.wait(session, 30, at)
        stage.nap(0.7)

    def pids(self, stage):
        """The runtime's own process first: npm's entry is a script that begins it."""
        return [pid for pid in stage.pane.pids() if Path(f"/proc/{pid}/comm").read_text().strip() == "codex"]

    def tool(self, command):
        """A call of its shell."""
        return ("exec_command", {"cmd": command, "yield_time_ms": 60000})

    def asking(self, command):
        """A call that needs permission."""
        name, given = self.tool(command)
        more = {"sandbox_permissions": "require_escalated", "justification": "May it be done?"}
        return (name, given | more)

    def question(self):
        """A call that asks the user."""
        options = [{"label": "Left", "description": "Go left"}, {"label": "Right", "description": "Go right"}]
        asked = {"id": "way", "question": "Which way?", "header": "Way", "options": options}
        return ("request_user_input", {"questions": [asked]})


RUNTIMES = {"claude_code": ClaudeCode, "codex": Codex}
