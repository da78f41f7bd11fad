import type { Database } from '../database/database.ts'

/** A site with the names of its tools. */
interface NamedTools {
  id: string
  name: string
  tools: string[]
}

/** Reads what is in an owner's manifests without building them here: a hundred may be many megabytes. */
export function createListedTools({ database }: { database: Database }) {
  return {
    /** The owner's entries whose ids end with these characters. There is one, hardly ever more. */
    async toolNamesAt(ownerId: string, idEnd: string): Promise<NamedTools[]> {
      const { rows } = await database.raw<{ rows: NamedTools[] }>(namesStatement, { ownerId, idEnd })
      return rows
    },

    /** The ids of the owner's newest entries, newest first, and how many bytes their manifests take in Postgres. */
    async manifestSizes(ownerId: string, limit: number): Promise<{ id: string; bytes: number }[]> {
      const { rows } = await database.raw<{ rows: { id: string; bytes: number }[] }>(sizesStatement, { ownerId, limit })
      return rows
    },
  }
}

/** The names are taken as JSON: as texts, Postgres would reject \u0000 in any other member of the tool. */
const namesStatement = `
  select id, name,
         coalesce((select json_agg(tool->'name') from json_array_elements(manifest->'tools') tool), '[]') as tools
    from vault_entries where owner_id = :ownerId and right(id::text, length(:idEnd)) = :idEnd`

const sizesStatement = `
  select id, pg_column_size(manifest) as bytes
    from vault_entries where owner_id = :ownerId order by id desc limit :limit`
