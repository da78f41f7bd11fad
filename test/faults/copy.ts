import { cpSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { plant, type Fault } from './fault.ts'

/** What is no part of the project's code, or is not to be had twice. */
const leftOut = /^(node_modules|\.git|\.data|\.env|[^/]*\.log)(\/|$)/

/** Copies the project as it lies there, uncommitted changes too, with its packages linked. */
export function copyProject(root: string, to: string): void {
  cpSync(root, to, { recursive: true, filter: (path) => !leftOut.test(relative(root, path)) })
  symlinkSync(realpathSync(join(root, 'node_modules')), join(to, 'node_modules'))
}

/** Plants the fault for as long as the work takes. */
export async function withPlanted<T>(copy: string, fault: Fault, work: () => Promise<T>): Promise<T> {
  const path = join(copy, fault.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, plant(text, fault))
  try {
    return await work()
  } finally {
    writeFileSync(path, text)
  }
}
