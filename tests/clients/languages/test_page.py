"""proto/README.md: the files that it shows are the files, its commands and programs run as they stand."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from service.private_redis import PrivateRedis
from tests.clients.languages.conftest import NODE_MODULES, ROOT, Run
from tests.matchmaking import create
from tests.serving import RestCaller, Serving

PROTO = ROOT / "proto"
PAGE = (PROTO / "README.md").read_text()
SAID = re.findall(r"prints the same three lines:\n\n```\n(.*?)```", PAGE, re.DOTALL)[0]
NOT_HERE = {"protoc-gen-go", "protoc-gen-go-grpc", "protoc-gen-grpc-java", "grpc_csharp_plugin"}  # no registry of Python or Node has these plugins


def blocks(marker: str) -> list[str]:
    return re.findall(rf"<!-- {marker} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project into which somebody has copied proto/ and installed the packages of Node."""
    shutil.copytree(PROTO, tmp_path / "proto")
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    return tmp_path


def generate(run: Run, project: Path) -> Path:
    """Run the page's buf command, without the plugins that are not here; returns the folder of what it made."""
    template = project / "proto" / "buf.gen.yaml"
    wanted = yaml.safe_load(template.read_text())
    wanted["plugins"] = [plugin for plugin in wanted["plugins"] if plugin.get("local") not in NOT_HERE]
    template.write_text(yaml.safe_dump(wanted))
    (command,) = blocks("run: buf")
    run("bash", "-eu", text=command.replace("../my-project", ".."), cwd=project)
    return project / "gen"


@pytest.mark.parametrize("name", ["buf.gen.yaml", "umpire/v1/retry_policy.json"])
def test_it_shows_the_files_as_they_are(name: str) -> None:
    assert blocks(f"file: {name}") == [(PROTO / name).read_text()]


def test_buf_generates_what_it_says(run: Run, project: Path) -> None:
    made = {str(path.relative_to(project / "gen")) for path in generate(run, project).rglob("*.*")}
    assert {"java/dev/umpire/v1/ApplyMoveRequest.java", "csharp/MatchService.cs", "csharp/GoldnCrash.cs"} <= made
    assert {"ts/umpire/v1/match_service_pb.js", "ts/umpire/v1/match_service_pb.d.ts", "ts/google/rpc/error_details_pb.js"} <= made
    assert not any("google" in path for path in made if not path.startswith("ts/"))


def test_its_template_has_no_other_plugins_than_its_table() -> None:
    plugins = yaml.safe_load((PROTO / "buf.gen.yaml").read_text())["plugins"]
    for plugin in plugins:
        assert f"| `{plugin['local']}`" in PAGE or f", `{plugin['local']}` |" in PAGE if "local" in plugin else plugin["protoc_builtin"] in {"java", "csharp"}


def test_protoc_generates_what_it_says(run: Run, project: Path) -> None:
    for block in blocks("run: protoc"):
        here = [line for line in block.splitlines() if not re.search(r"--(go|go-grpc|grpc-java|grpc)_out", line)]
        run("bash", "-eu", text="\n".join(here), cwd=project)
    for made in ("java/dev/umpire/v1/ApplyMoveRequest.java", "csharp/MatchService.cs", "ts/umpire/v1/match_service_pb.js"):
        assert (project / "gen" / made).is_file()


def test_the_program_in_node_runs(run: Run, project: Path, over_grpc: dict[str, str]) -> None:
    (program,) = blocks("run: node")
    (project / "move.mjs").write_text(program)
    assert run("node", "move.mjs", cwd=project, **over_grpc) == SAID


def test_its_second_part_plays_the_match_to_the_end(run: Run, project: Path, over_grpc: dict[str, str]) -> None:
    (program,), (rest,) = blocks("run: node"), blocks("run: node to the end")
    (project / "match.mjs").write_text(program + rest)
    said = run("node", "match.mjs", cwd=project, **over_grpc)
    assert said.startswith(SAID)
    assert re.fullmatch(r"over [A-Z_]+\n", said.removeprefix(SAID))


def test_its_program_watches_a_match_to_the_end_though_the_worker_goes_away(binaries: Path, redis_server: PrivateRedis, key_prefix: str) -> None:
    (program,) = blocks("run: events")
    serving = Serving(redis_server.url, key_prefix=key_prefix).start()
    try:
        caller = RestCaller(serving)
        match = create(caller)
        variables = {"PATH": "", "SERVER": serving.http, "MATCH": match.match_id, "CREDENTIAL": match.spectator}
        node = [str(binaries / "node"), "--input-type=module", "-e", program]
        watching = subprocess.Popen(node, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert watching.stdout is not None
        assert watching.stdout.readline() == "1 CAUSE_SET_UP \n"
        serving.processes[0].kill()
        serving.processes[0].wait()
        serving.processes[0] = serving.start_worker(0)
        serving.wait_until_ready()
        match.play("draw")
        assert watching.stdout.readline() == "2 CAUSE_PERSON \n"
        match.must("ResignSeat", match.credentials[1])
        assert watching.communicate(timeout=60) == ("3 CAUSE_LEAVE RESIGNATION\n", "")
        assert watching.returncode == 0
        refused = subprocess.run(node, env=variables | {"CREDENTIAL": "none"}, capture_output=True, text=True, timeout=60, check=False)
        assert refused.returncode == 1
        caller.close()
    finally:
        serving.stop()


def test_the_program_in_typescript_runs_and_is_well_typed(run: Run, project: Path, over_http: dict[str, str]) -> None:
    generate(run, project)
    (program,) = blocks("run: connect")
    (project / "move.ts").write_text(program)
    assert run("node", "move.ts", cwd=project, **over_http) == SAID.replace("FAILED_PRECONDITION", "FailedPrecondition")
    strict = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "--types", "node"]
    assert not run("tsc", *strict, "--typeRoots", "node_modules/@types", "move.ts", cwd=project)


def test_the_look_around_runs(run: Run, over_grpc: dict[str, str]) -> None:
    (commands,) = blocks("run: reflection")
    said = run("bash", "-eu", text=commands, **over_grpc)
    assert "umpire.v1.MatchService/ApplyMove" in said
    assert '"game":"goldn_crash"' in said.replace(" ", "")
    assert "SERVING" in said


@pytest.mark.parametrize("language", ["go", "js", "ts", "java", "csharp"])
def test_each_program_makes_the_same_calls_and_reads_all_details(language: str) -> None:
    (program,) = (block for block in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if "goldn_crash" in block)
    for word in ("creatematch", "listlegalmoves", "applymove", "x-api-key", "authorization", "requestid", "errorinfo", "badrequest", "retryinfo"):
        assert word in program.lower(), word


def test_no_lock_file_names_a_host() -> None:
    assert "://" not in (ROOT / "clients" / "node" / "package-lock.json").read_text()
