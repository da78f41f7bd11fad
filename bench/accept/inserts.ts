import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onServer } from '../../test/helpers/database.ts'
import { temporaryFolder } from '../shared/folder.ts'
import type { BenchStores } from '../shared/servers.ts'
import { percentile } from '../shared/statistics.ts'
import type { Side } from './side.ts'

/**
 * The reference: one row per transaction, with its payload, into a table with nine indexes. The table keeps the
 * columns that `runs` once had, so that results before and after a change can be compared.
 */
const table = `
  create sequence bench_sequence;
  create table bench_runs (
    id text primary key,
    agent_id text not null,
    owner_id text not null,
    sequence bigint not null,
    trigger text not null check (trigger in ('manual', 'scheduled', 'webhook')),
    status text not null check (status in ('queued', 'running', 'waiting', 'completed', 'failed')),
    payload text,
    body_hash text,
    idempotency_key text,
    request_id text not null,
    events integer not null default 0,
    accepted_at timestamptz not null,
    progressed_at timestamptz not null,
    ended_at timestamptz,
    unique (agent_id, sequence)
  );
  create unique index on bench_runs (agent_id, idempotency_key) where idempotency_key is not null;
  create unique index on bench_runs (agent_id) where status in ('running', 'waiting');
  create index on bench_runs (agent_id, sequence) where status in ('queued', 'running', 'waiting');
  create index on bench_runs (owner_id, id);
  create index on bench_runs (agent_id, id);
  create index on bench_runs (owner_id, status, id) where status <> 'completed';
  create index on bench_runs (ended_at) where ended_at is not null`

const insert = (payload: string) =>
  `insert into bench_runs (id, agent_id, owner_id, sequence, trigger, status, payload, body_hash, request_id, events,
     accepted_at, progressed_at)
   values (gen_random_uuid()::text, gen_random_uuid()::text, 'owner', nextval('bench_sequence'), 'webhook', 'queued',
     '${payload}', repeat('a', 64), gen_random_uuid()::text, 1, now(), now())`

/** pgbench if it is installed, otherwise a loop of our own. The output says which. */
export async function openInserts({ database }: BenchStores, payload: string): Promise<Side> {
  await onServer(database, (client) => client.query(table))
  const statement = insert(payload)
  return spawnSync('pgbench', ['--version']).status === 0 ? pgbench(database, statement) : loop(database, statement)
}

function pgbench(database: string, statement: string): Side {
  const script = join(temporaryFolder, 'insert.sql')
  writeFileSync(script, `${statement.replaceAll('\n', ' ')};\n`)
  const run = async (clients: number, seconds: number) => {
    const folder = mkdtempSync(join(temporaryFolder, 'pgbench-'))
    const amount = ['-c', String(clients), '-j', '2', '-T', String(seconds)]
    const log = ['-l', '--log-prefix', join(folder, 'log'), '--sampling-rate', '0.2']
    const options = ['-n', '-M', 'prepared', '-f', script, ...amount, ...log]
    const { stdout } = await promisify(execFile)('pgbench', [...options, database])
    const p99 = percentile(timesIn(folder), 0.99)
    rmSync(folder, { recursive: true })
    const [, rate] = /^tps = ([\d.]+)/m.exec(stdout) ?? []
    const [, connectingMs] = /^initial connection time = ([\d.]+)/m.exec(stdout) ?? []
    return { rate: Number(rate), p99, connecting: Number(connectingMs) / 1000 }
  }
  return {
    name: 'pgbench, prepared statements, 2 threads',
    async measure(clients, seconds) {
      // Its time includes connecting, and its rate does not, so on a busy machine it may have no time left.
      for (let longer = seconds; longer <= 16 * seconds; longer *= 2) {
        const { rate, p99, connecting } = await run(clients, longer)
        if (longer - connecting >= seconds / 2) return { rate, p99 }
      }
      throw new Error(`pgbench could not open ${clients} connections in ${16 * seconds} s`)
    },
  }
}

/** The times of the logged transactions in milliseconds. */
function timesIn(folder: string): number[] {
  const names = readdirSync(folder).filter((name) => name.startsWith('log.'))
  const lines = names.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
  return lines.map((line) => Number(line.split(' ')[2]) / 1000)
}

function loop(database: string, text: string): Side {
  return {
    name: 'an insert loop in Node, because pgbench is missing (install it for a fair comparison: it needs less CPU)',
    async measure(clients, seconds) {
      const times: number[] = []
      let began = 0
      const connected = Promise.withResolvers<void>()
      let waiting = clients
      await Promise.all(
        Array.from({ length: clients }, () =>
          onServer(database, async (client) => {
            waiting -= 1
            began = performance.now()
            if (waiting === 0) connected.resolve()
            await connected.promise
            while (performance.now() < began + seconds * 1000) {
              const sent = performance.now()
              await client.query({ name: 'insert', text })
              times.push(performance.now() - sent)
            }
          }),
        ),
      )
      return { rate: times.length / ((performance.now() - began) / 1000), p99: percentile(times, 0.99) }
    },
  }
}
