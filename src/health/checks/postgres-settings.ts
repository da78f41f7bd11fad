import type { Database } from '../../database/database.ts'
import { failing, fine, worst, type Check, type Finding } from '../finding.ts'

/** Partitions, uuids and statistics need it; older versions are not tested. */
const oldestVersion = 18

interface Server {
  version: string
  fsync: string
  commit: string
  pages: string
  recovering: boolean
}

/** Whether Postgres is new enough, and loses nothing that it has confirmed. */
export const postgresSettings: Check<{ database: Database }> = {
  name: 'postgres settings',
  needs: ['postgres'],
  async look({ database }) {
    const { rows } = await database.raw<{ rows: [Server] }>(serverStatement)
    return judge(rows[0])
  },
}

const serverStatement = `
  select current_setting('server_version') as version, current_setting('fsync') as fsync,
         current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages,
         pg_is_in_recovery() as recovering`

function judge({ version, fsync, commit, pages, recovering }: Server): Finding {
  const findings: Finding[] = []
  if (Number.parseInt(version, 10) < oldestVersion)
    findings.push(failing(`Postgres is version ${version}.`, `Upgrade it to Postgres ${oldestVersion} or later.`))
  if (recovering)
    findings.push(failing('Postgres is a read-only replica.', 'Point DATABASE_URL at the primary server.'))
  if (fsync === 'off')
    findings.push(failing('A power failure can destroy the database, because fsync is off.', set('fsync')))
  if (pages === 'off')
    findings.push(failing('A crash can destroy pages, because full_page_writes is off.', set('full_page_writes')))
  if (commit === 'off')
    findings.push(failing('A crash loses accepted work, because synchronous_commit is off.', set('synchronous_commit')))
  return worst(findings, fine(`Postgres ${version} keeps what it confirms.`))
}

const set = (setting: string): string => `Run: alter system set ${setting} = on; select pg_reload_conf();`
