import { spawnSync } from 'node:child_process'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { openPooler as open } from '../../test/helpers/pgbouncer.ts'
import { record, temporaryFolder } from '../shared/folder.ts'

/** As docs/operate/second-machine.md recommends. */
const settings = {
  deadlines: "set statement_timeout = '30s'; set idle_in_transaction_session_timeout = '5s'",
  ignored: 'extra_float_digits,statement_timeout,idle_in_transaction_session_timeout',
}

/** PgBouncer in front of the database, with a connection per transaction, or undefined if it is not installed. */
export async function openPooler(database: string) {
  const found = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
  const [version] = /^PgBouncer \S+/.exec(found.stdout ?? '') ?? []
  if (!version) return undefined
  const { environment } = readLocalConfig()
  const { url, control } = await open(database, settings, { folder: temporaryFolder, record, environment })
  return { name: version, url, stop: () => control.stop() }
}
