"""Where results live: a real server of an object store on loopback, and a disk that is really full.

    python stores.py FOLDER      fills a disk; needs a mount namespace of its own
"""

import os
import secrets
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import tucrl
from started import ended, program

PORT = "18790"
RUN = "import tucrl; tucrl.run('e.toml', out='s3://results/e', progress=False, jobs=2)"


def object_store(folder: Path, expected: dict[str, bytes]) -> None:
    """Kill the process that fills a bucket; let two others end it at the same time."""
    secret = secrets.token_hex(20)
    # What is written to S3 by other programs is set by these variables too.
    os.environ.update(AWS_ACCESS_KEY_ID="tester", AWS_SECRET_ACCESS_KEY=secret, AWS_REGION="us-east-1")
    os.environ.update(AWS_ENDPOINT_URL=f"http://127.0.0.1:{PORT}", AWS_ALLOW_HTTP="true")
    server = program(folder / "server.log", "moto.server", "-H", "127.0.0.1", "-p", PORT)
    try:
        said = _filled(expected)
    finally:
        ended(server)
    assert secret not in said, "a secret was printed"


def _filled(expected: dict[str, bytes]) -> str:
    import boto3
    import obstore
    from botocore.exceptions import EndpointConnectionError
    from obstore.store import from_url

    client = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    for _ in range(300):
        try:
            client.create_bucket(Bucket="results")
            break
        except EndpointConnectionError:
            time.sleep(0.1)
    store = from_url("s3://results/e")

    def objects() -> dict[str, Any]:
        return {meta["path"]: meta for part in obstore.list(store) for meta in part}

    def runs() -> list[str]:
        return [path for path in objects() if path.endswith(".run")]

    process = subprocess.Popen([sys.executable, "-c", RUN])
    while process.poll() is None and len(runs()) < 2:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 2 <= len(runs()) < len(expected), runs()
    both = [subprocess.Popen([sys.executable, "-c", RUN], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = "".join(process.communicate(timeout=300)[1] for process in both)
    assert [process.returncode for process in both] == [0, 0], said
    contents = {path: bytes(obstore.get(store, path).bytes()) for path in objects()}
    found = {path.removeprefix("runs/"): content.split(b"\n")[1] for path, content in contents.items() if path in runs()}
    assert found == expected, "records differ"
    assert sorted(contents) == ["experiment.toml", *sorted(runs())]
    # Nothing is written a second time, and what is there cannot be overwritten by mistake.
    before = objects()
    with ThreadPoolExecutor(2) as executor:
        tucrl.run("e.toml", out="s3://results/e", executor=executor, progress=False)
    assert objects() == before
    try:
        obstore.put(store, runs()[0], b"other", mode="create")
        raise AssertionError("the server has no conditional puts")
    except obstore.exceptions.AlreadyExistsError:
        pass
    secret = os.environ["AWS_SECRET_ACCESS_KEY"].encode()
    assert not any(secret in content for content in contents.values()), "a record has a secret"
    try:
        tucrl.run("e.toml", out="s3://no-such-bucket/e", progress=False)
        raise AssertionError("there is no such bucket")
    except OSError as error:
        said += str(error)
    print(f"  {len(expected)} runs in a bucket, a process killed, two at the same time, records identical", flush=True)
    return said


def full_disk(folder: Path, expected: dict[str, bytes]) -> None:
    """Fill a disk of half a megabyte, make room, and end the experiment."""
    # The disk is seen by this process only, and gone with it.
    command = ["unshare", "--map-root-user", "--mount", sys.executable, __file__, str(folder)]
    subprocess.run(command, check=True, timeout=300)
    print(f"  {len(expected)} runs, a full disk, records identical", flush=True)


def _full() -> None:
    from engines import bodies

    sys.path.append(str(Path(__file__).resolve().parents[4] / "examples" / "python"))
    folder = Path(sys.argv[1])
    os.chdir(folder)
    expected, disk = bodies(folder / "here"), folder / "disk"
    size = sum(path.stat().st_size for path in (folder / "here" / "runs").glob("*.run"))
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size // 2}", "tmpfs", str(disk)], check=True)
    try:
        with ThreadPoolExecutor(2) as executor:
            tucrl.run("e.toml", out=disk / "out", executor=executor, progress=False)
        raise AssertionError("there was room for all runs")
    except OSError as error:
        assert "no storage space" in str(error), error
        assert f"of {len(expected)} runs are kept: call it again" in str(error), error
    kept = bodies(disk / "out")
    assert 0 < len(kept) < len(expected) and kept.items() <= expected.items(), len(kept)
    # The same without an executor: what is there stays.
    try:
        tucrl.run("e.toml", out=disk / "out", progress=False)
        raise AssertionError("there was room for all runs")
    except OSError as error:
        assert "no storage space" in str(error), error
    assert kept.items() <= bodies(disk / "out").items() < expected.items()
    subprocess.run(["mount", "-o", "remount,size=100m", str(disk)], check=True)
    tucrl.run("e.toml", out=disk / "out", progress=False)
    assert bodies(disk / "out") == expected, "records differ"


if __name__ == "__main__":
    _full()
