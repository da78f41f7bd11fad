import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts the program of this name, in a process of its own. */
export type Start = (name: string, ...given: string[]) => ChildProcess

/** For the programs of a folder. */
export const startIn =
  (folder: URL): Start =>
  (name, ...given) =>
    fork(fileURLToPath(new URL(`${name}.ts`, folder)), given)

/** What a program says next. */
export async function heard<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T]
  return message
}

/** Tells a program something, and returns what it answers. */
export function ask<T>(child: ChildProcess, told: string | object): Promise<T> {
  child.send(told)
  return heard<T>(child)
}
