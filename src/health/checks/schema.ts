import type { Database } from '../../database/database.ts'
import { compareSchema, OtherSchemaError, type Migration } from '../../database/migrate.ts'
import { failing, fine, type Check } from '../finding.ts'

/** Whether the database has exactly the migrations of this code. */
export const schema: Check<{ database: Database; migrations: Migration[] }> = {
  name: 'schema',
  needs: ['postgres'],
  async look({ database, migrations }) {
    try {
      const { pending, unknown } = await compareSchema(database, migrations)
      if (unknown.length > 0)
        return failing(
          `The database is newer than this code, which lacks ${unknown.join(', ')}.`,
          'Run the newer code everywhere.',
        )
      if (pending.length > 0)
        return failing(`The database lacks these migrations: ${pending.join(', ')}.`, 'Run: npm run migrate')
      return fine(`The database has all ${migrations.length} migrations.`)
    } catch (error) {
      if (!(error instanceof OtherSchemaError)) throw error
      return failing(
        'Another version of Switchyard or another program created the database.',
        'Point DATABASE_URL at the right database, or at an empty one and run: npm run migrate',
      )
    }
  },
}
