import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { migrations } from '../../migrations/index.ts'
import { readBackup, writeBackup } from '../../src/backups/backup-file.ts'
import { recordBackup } from '../../src/backups/backups.ts'
import { endExecutions } from '../../src/backups/end-executions.ts'
import { load } from '../../src/backups/load.ts'
import type { Restore } from '../../src/backups/restore.ts'
import { assertUnused, keepOthersOut } from '../../src/backups/assert-unused.ts'
import { databaseClock as clock } from '../../src/clock.ts'
import { readRestoreConfig } from '../../src/config/command-config.ts'
import type { Database, Transaction } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createLogger } from '../../src/logger.ts'
import { counted } from '../../src/needs/need.ts'
import { createTemporal } from '../../src/temporal/temporal.ts'
import type { AdminCommand, Given } from './admin-command.ts'
import { restoresOf } from './restores-of.ts'

const keysMissing =
  'The vault keys are not in it. Without VAULT_KEYS, the secrets in it cannot be read. Keep the keys in another place.'

export const backupCommand: AdminCommand = {
  takes: '[file] | --made-elsewhere',
  does: 'writes the whole database to a file; --made-elsewhere records a backup that another program made',
  isLong: true,
  startsPostgres: 'as it is',
  async work(database, { words, usage }) {
    const { file, madeElsewhere } = backupWords(words, usage)
    if (madeElsewhere) return recordElsewhere(database)
    const path = resolve(file ?? `switchyard-${clock.now().toISOString().slice(0, 19).replaceAll(':', '')}Z.backup`)
    const beganAt = clock.now()
    try {
      const { asOf, rows, bytes } = await writeBackup({ database, say: console.log }, path)
      await recordBackup(database, { beganAt: asOf, endedAt: clock.now(), bytes, error: null })
      return `Wrote ${rows.toLocaleString('en-US')} rows as of ${asOf.toISOString()} to ${path} (${bytes.toLocaleString('en-US')} bytes).\n${keysMissing}`
    } catch (error) {
      const { message } = error as Error
      await recordBackup(database, { beganAt, endedAt: clock.now(), bytes: null, error: message }).catch(
        () => undefined,
      )
      throw error
    }
  },
}

async function recordElsewhere(database: Database): Promise<string> {
  const now = clock.now()
  await recordBackup(database, { beganAt: now, endedAt: now, bytes: null, error: null })
  return 'Recorded a backup that was made now.'
}

function backupWords(words: string[], usage: string) {
  const options = { 'made-elsewhere': { type: 'boolean', default: false } } as const
  const { values, positionals } = parseArgs({ args: words, allowPositionals: true, options })
  const [file, ...more] = positionals
  const madeElsewhere = values['made-elsewhere']
  if (more.length > 0 || (madeElsewhere && file !== undefined)) throw new Error(`Give at most one file: ${usage}`)
  return { file, madeElsewhere }
}

export const restoreCommand: AdminCommand = {
  takes: '<file>',
  does: 'loads a backup into an empty database, and pauses the agents that had unfinished runs',
  isLong: true,
  startsEmpty: true,
  startsPostgres: 'emptied',
  async work(database, given) {
    const [file, ...more] = given.words
    if (file === undefined || more.length > 0) throw new Error(`Give one file: ${given.usage}`)
    const { size: bytes } = statSync(file)
    let told = ''
    const before = async (trx: Transaction, { asOf }: { asOf: Date }) => {
      await recordBackup(trx, { beganAt: asOf, endedAt: asOf, bytes, error: null })
      told = inWords(await announce(trx, given, asOf))
    }
    await load({ database, migrations, say: console.log, before }, readBackup(file))
    return `${told}\n${await endLost(given)}`
  },
}

export const announceRestoreCommand: AdminCommand = {
  takes: '--as-of <time>',
  does: 'after another program restored the database to that time: does what restore does for safety',
  isLong: true,
  async work(database, given) {
    const asOf = timeIn(given)
    await migrate(database, migrations, console.log)
    const restore = await database.transaction(async (trx) => {
      await keepOthersOut(trx)
      await assertUnused(trx, database)
      const made = await announce(trx, given, asOf)
      await assertUnused(trx, database)
      return made
    })
    return `${inWords(restore)}\n${await endLost(given)}`
  },
}

function timeIn({ words, usage }: Given): Date {
  const { values } = parseArgs({ args: words, options: { 'as-of': { type: 'string' } } })
  const asOf = new Date(values['as-of'] ?? '')
  if (Number.isNaN(asOf.getTime())) throw new Error(`Give a time such as 2026-11-29T03:00:00Z: ${usage}`)
  if (asOf > clock.now()) throw new Error('The time is in the future. Give the time that the database was restored to.')
  return asOf
}

export const resumeRestoredCommand: AdminCommand = {
  takes: '',
  does: 'resumes all agents that a restore has paused; their runs continue',
  async work(database, { settings }) {
    const resumed = await restoresOf(database, readRestoreConfig(settings)).resumeAll()
    return `Resumed ${counted(resumed, 'agent')}.`
  },
}

const announce = (trx: Transaction, { settings }: Given, asOf: Date): Promise<Restore> =>
  restoresOf(trx, readRestoreConfig(settings)).announce(trx, asOf)

async function endLost({ settings, hasTemporal }: Given): Promise<string> {
  if (!hasTemporal) return 'The data of the Temporal of `npm start` is deleted.'
  const temporal = createTemporal(readRestoreConfig(settings).temporal, createLogger('silent', 'restore'))
  try {
    return await endExecutions({ temporal, clock })
  } catch (error) {
    // The restore is done, and needs nothing of Temporal.
    return `Temporal's workflows of the lost time were not terminated (${(error as Error).message}). They can write nothing, and are ended by the platform.`
  } finally {
    await temporal.close()
  }
}

const inWords = ({ agents, runs, asOf }: Restore): string =>
  agents === 0
    ? `The database is as of ${asOf.toISOString()}. No agent had unfinished runs.`
    : `The database is as of ${asOf.toISOString()}. ${counted(agents, 'agent')} with ${counted(runs, 'unfinished run')} ${agents === 1 ? 'is' : 'are'} paused until somebody decides: their owners are notified. To resume all at once: npm run admin -- resume-restored`
