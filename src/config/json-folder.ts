import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { ConfigError } from './environment.ts'
import { expectedForm } from './expected-form.ts'
import { readJsonFile } from './json-file.ts'
import { placeOf } from './only-members.ts'

interface FolderOptions<S extends v.GenericSchema> {
  /** What a file is, for sentences. */
  what: string
  schema: S
  /** The most files. */
  most: number
  /** What else is wrong with a file of the right form. */
  contradictions?: (content: v.InferOutput<S>) => string[]
}

type Read<S extends v.GenericSchema> = { id: string; path: string; content: v.InferOutput<S> }

/**
 * The JSON files in a folder, in the order of their ids. An id is the name of a file without the extension. Throws a
 * ConfigError that names every problem with its file, and quotes no content.
 */
export function readJsonFolder<S extends v.GenericSchema>(folder: string, options: FolderOptions<S>): Read<S>[] {
  const files = filesIn(folder, options.what)
  const tooMany = `${folder} has ${files.length} JSON files, and at most ${options.most} are allowed`
  if (files.length > options.most) throw new ConfigError([tooMany])
  const results = files.map((file) => readOne(folder, file, options))
  const problems = results.flatMap((result) => ('problems' in result ? result.problems : []))
  if (problems.length > 0) throw new ConfigError(problems)
  return results.filter((result) => 'id' in result)
}

function filesIn(folder: string, what: string): string[] {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
    return files.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError([`The folder ${folder} cannot be read (${code}). Each file in it must be a ${what}`])
  }
}

const idOf = (file: string): string => file.replace(/\.json$/, '')

function readOne<S extends v.GenericSchema>(
  folder: string,
  file: string,
  { what, schema, contradictions = () => [] }: FolderOptions<S>,
): Read<S> | { problems: string[] } {
  const [path, id] = [join(folder, file), idOf(file)]
  if (!/^[a-z\d][a-z\d-]{0,63}$/.test(id))
    return { problems: [`${path}: the file name must have only lowercase letters, digits and hyphens`] }
  const written = readJsonFile(path)
  if ('problem' in written) return { problems: [`The ${what} ${id} ${written.problem}`] }
  const result = v.safeParse(schema, written.value, { message: expectedForm, abortPipeEarly: true })
  const problems = result.success
    ? contradictions(result.output)
    : result.issues.map((issue) => `${placeOf(issue)} ${issue.message}`)
  if (!result.success || problems.length > 0) return { problems: problems.map((problem) => `${path}: ${problem}`) }
  return { id, path, content: result.output }
}
