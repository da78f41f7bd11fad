import type { Database } from '../database/database.ts'

/** How people know an owner: by the name of the workspace, or the address of the user. */
export async function nameOfOwner(database: Database, ownerId: string): Promise<string> {
  const { rows } = await database.raw<{ rows: [{ name: string }] }>(statement, { ownerId })
  return rows[0].name
}

const statement = `
  select coalesce((select name from workspaces where id = :ownerId), (select email from users where id = :ownerId)) as name`
