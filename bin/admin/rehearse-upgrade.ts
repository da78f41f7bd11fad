import { migrations } from '../../migrations/index.ts'
import { readDatabaseConfig } from '../../src/config/command-config.ts'
import type { AdminCommand } from './admin-command.ts'

export const rehearseUpgrade: AdminCommand = {
  takes: '[file]',
  does: 'migrates a sealed copy of the database, and says how long, with which locks, and whether this code can read it',
  isLong: true,
  startsPostgres: 'as it is',
  async work(live, { words, usage, settings }) {
    const [file, ...more] = words
    if (file?.startsWith('-') === true || more.length > 0) throw new Error(`Give at most one file: ${usage}`)
    // It loads the whole platform. Other commands start faster without it.
    const { rehearse } = await import('./rehearsal/rehearse.ts')
    const { url } = readDatabaseConfig(settings).database
    const problems = await rehearse({ live, url, file, billing: settings['BILLING'], migrations, say: console.log })
    if (problems.length > 0) throw new Error(['Do not upgrade yet.', ...problems].join('\n'))
    return 'The upgrade can be made: npm run migrate'
  },
}
