// PostgreSQL and Redis from Debian's packages, in temporary folders and on Unix sockets.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const POSTGRES = '/usr/lib/postgresql/15/bin';
// PostgreSQL refuses to run as root.
const nobody = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition, what) {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(20)) if (condition()) return;
  throw new Error(`${what} has not started`);
}

export class Postgres {
  #child;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'toolgate-postgres-'));
    if (nobody.uid !== undefined) chownSync(this.folder, nobody.uid, nobody.gid);
    this.data = join(this.folder, 'data');
    execFileSync(join(POSTGRES, 'initdb'), ['-D', this.data, '-U', 'toolgate', '-A', 'trust', '-N', '-E', 'UTF8', '--locale=C'],
      { ...nobody, stdio: 'ignore', cwd: this.folder });
    chmodSync(this.folder, 0o755);
  }

  async start() {
    this.#child = spawn(join(POSTGRES, 'postgres'), ['-D', this.data, '-k', this.folder, '-c', 'listen_addresses=', '-c', 'fsync=off',
      '-c', 'max_connections=200'], { ...nobody, stdio: 'ignore', cwd: this.folder });
    this.ended = new Promise((resolve) => this.#child.on('exit', resolve));
    const ready = () => {
      try {
        execFileSync(join(POSTGRES, 'pg_isready'), ['-h', this.folder, '-U', 'toolgate'], { stdio: 'ignore' });
        return true;
      } catch {
        return false;
      }
    };
    await until(ready, 'PostgreSQL');
    if (!this.made) execFileSync(join(POSTGRES, 'createdb'), ['-h', this.folder, '-U', 'toolgate', 'toolgate'], { stdio: 'ignore' });
    this.made = true;
  }

  // As a crash: nothing is finished, sessions end at once.
  async crash() {
    this.#child.kill('SIGQUIT');
    await this.ended;
  }

  async remove() {
    await this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Redis {
  #child;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'toolgate-redis-'));
    this.socket = join(this.folder, 'redis.sock');
  }

  async start() {
    // The server by its other name: Debian's package redis-server would add a service of the system.
    this.#child = spawn('redis-check-rdb', ['--port', '0', '--unixsocket', this.socket, '--save', '', '--dir', this.folder],
      { stdio: 'ignore', argv0: 'redis-server' });
    this.ended = new Promise((resolve) => this.#child.on('exit', resolve));
    await until(() => existsSync(this.socket), 'Redis');
  }

  async remove() {
    this.#child.kill('SIGKILL');
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

