import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Edit } from './edits.ts'
import { edited } from './tree.ts'

/** This project. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * An edit and its place. The place is imported, so it may move to another file, and the compiler notices if it is renamed
 * or removed.
 */
export interface Place {
  /** An exported function, or another exported constant with its name: `{ loops }`. */
  in: ((...given: never[]) => unknown) | Readonly<Record<string, unknown>>
  /** One of the functions that a factory returns; see `within`. */
  method?: string
  edit: Edit
}

/** One of the functions that a factory returns. */
export const within = <T>(
  factory: (...given: never[]) => T,
  method: keyof Awaited<T> & string,
): Pick<Place, 'in' | 'method'> => ({ in: factory, method })

/** A file with the edit, and as it was. */
export interface Planted {
  /** Inside the project. */
  file: string
  text: string
  before: string
}

/** Makes the edit in the text of a file of this project, or of a copy. Throws a sentence if it cannot be made. */
export async function plant({ in: place, method, edit }: Place, project = root): Promise<Planted> {
  const file = await fileOf(place)
  const before = readFileSync(join(project, file), 'utf8')
  try {
    return { file, before, text: edited(before, { name: nameOf(place), method, edit }) }
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message} (${edit.selector})`, { cause: error })
  }
}

/** The exported name. */
export const nameOf = (place: Place['in']): string =>
  typeof place === 'function' ? place.name : Object.keys(place).join()

const folders = ['src', 'api', 'workflows', 'activities', 'migrations']

let read: { file: string; text: string }[] | undefined
const sources = () => (read ??= folders.flatMap(readFolder))

const readFolder = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(root, folder, name), 'utf8') }))

/** The file that exports it. Where several export the name, they are imported to find out. */
async function fileOf(place: Place['in']): Promise<string> {
  const name = nameOf(place)
  const exported = new RegExp(`^export (?:async )?(?:function|const|class) ${name}\\b`, 'm')
  const named = sources().filter(({ text }) => exported.test(text))
  if (named.length === 1) return named[0]!.file
  const value = typeof place === 'function' ? place : place[name]
  for (const { file } of named) {
    const module = (await import(join(root, file))) as Record<string, unknown>
    if (module[name] === value) return file
  }
  throw new Error(`no file exports ${name}`)
}
