import type { Database } from '../database/database.ts'

/** How many bytes of text the steps and calls of each have; absent for one without steps. */
export async function bytesOfSubjects(database: Database, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const { rows } = await database.raw<{ rows: { id: string; bytes: number }[] }>(bytesStatement, { ids })
  return new Map(rows.map(({ id, bytes }) => [id, bytes]))
}

const bytesStatement = `
  select subject_id as id, sum(bytes)::float8 as bytes from (
    select subject_id, octet_length(answer) + coalesce(octet_length(content), 0) as bytes
      from steps where subject_id = any(:ids::uuid[])
    union all
    select subject_id, octet_length(arguments) + coalesce(octet_length(result), 0)
      from tool_calls where subject_id = any(:ids::uuid[])
  ) parts group by subject_id`
