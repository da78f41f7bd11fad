import { Connection } from '@temporalio/client'
import { whenAnswering, type Program } from '../program.ts'

interface TemporalOptions {
  binary: string
  port: number
  /** Undefined: no web interface. */
  uiPort?: number
  /** Undefined: the data is lost when the server ends. */
  databaseFile?: string
  environment: Record<string, string>
}

/**
 * Eager execution starts an activity with the response that schedules it. It is off by default, and more than twice as
 * fast on an idle system. By default Temporal polls for transfer tasks 20 times a second per shard. This server has
 * one shard, so each hand-over between workflows would take about 50 ms (`npm run bench -- dispatch`).
 */
const speed = ['system.enableActivityEagerExecution=true', 'history.transferProcessorMaxPollRPS=1000']

/** Hands out waiting tasks in turns by owner, including tasks that waited before this was set. */
const fairness = ['matching.enableFairness=true', 'matching.enableMigration=true']

/**
 * By default task queues have four partitions, which forward to the first one. One machine needs only one, but a
 * server that keeps its data may have tasks in the others, which would be lost.
 */
const onePart = ['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1']

/** The Temporal dev server: a real server in one process, for one machine. */
export function temporalServer({ binary, port, uiPort, databaseFile, environment }: TemporalOptions): Program {
  const ui = uiPort === undefined ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort)]
  const pragmas = ['journal_mode=wal', 'synchronous=normal'].flatMap((pragma) => ['--sqlite-pragma', pragma])
  const database = databaseFile === undefined ? [] : ['--db-filename', databaseFile, ...pragmas]
  const dynamic = [...speed, ...fairness, ...(databaseFile === undefined ? onePart : [])].flatMap((setting) => [
    '--dynamic-config-value',
    setting,
  ])
  const listen = ['--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error', '--log-format', 'json']
  return {
    name: 'temporal',
    command: binary,
    args: ['server', 'start-dev', ...listen, ...ui, ...database, ...dynamic],
    env: environment,
    stopSignal: 'SIGTERM',
    stopSeconds: 15,
    readySeconds: 60,
    ready: whenAnswering(() => describeDefault(`127.0.0.1:${port}`)),
    shown: (line) => (/"level":"FATAL"|^panic:|^Error:/i.test(line) ? line : undefined),
  }
}

async function describeDefault(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 2000 })
  try {
    await connection.withDeadline(Date.now() + 2000, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    )
  } finally {
    await connection.close()
  }
}
