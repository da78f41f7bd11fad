import type { Database } from '../../database/database.ts'
import { fine, warning, type Check } from '../finding.ts'

interface Times {
  /** Since the data of the last backup, in hours; null if there is none. */
  age: number | null
  /** Since the schema was made, in hours. */
  exists: number
  /** Why the last attempt failed; null if it succeeded. */
  error: string | null
}

/** Whether a backup is on record that is recent enough. A younger installation needs none yet. */
export const backups: Check<{ database: Database; config: { backupMaxAgeHours: number } }> = {
  name: 'backups',
  needs: ['schema'],
  async look({ database, config }) {
    const { rows } = await database.raw<{ rows: [Times] }>(timesStatement)
    const [{ age, exists, error }] = rows
    const most = config.backupMaxAgeHours
    const why = error === null ? '' : ` The last attempt failed: ${error}`
    if (age === null)
      return exists <= most && error === null
        ? fine('There is no backup yet.')
        : warning(`There is no backup.${why}`, fix)
    const message = `The last backup is ${inWords(age)} old.${why}`
    return age > most ? warning(message, fix) : fine(message)
  },
}

const fix =
  'Run: npm run admin -- backup. If another program makes backups, have it run: npm run admin -- backup --made-elsewhere. See docs/operate/back-up.md.'

const inWords = (hours: number): string =>
  hours < 48 ? `${Math.round(hours)} hours` : `${Math.round(hours / 24)} days`

const timesStatement = `
  select (select extract(epoch from now() - max(ended_at))::float8 / 3600 from backups where error is null) as age,
         (select error from backups order by ended_at desc limit 1) as error,
         (select extract(epoch from now() - min(migration_time))::float8 / 3600 from migrations) as exists`
