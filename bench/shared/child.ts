import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts the named program as a process of its own. */
export type Start = (name: string, ...given: string[]) => ChildProcess

/** Starts programs of a folder. */
export const startIn =
  (folder: URL): Start =>
  (name, ...given) =>
    fork(fileURLToPath(new URL(`${name}.ts`, folder)), given)

/** The next message from a program. */
export async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T]
  return message
}

/** Sends a message to a program and returns its reply. */
export function ask<T>(child: ChildProcess, message: string | object): Promise<T> {
  child.send(message)
  return nextMessage<T>(child)
}
