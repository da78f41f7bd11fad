import { cpSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root, type Planted } from './plant.ts'

/** What is no part of the project's code, or exists only once. */
const leftOut = /^(node_modules|\.git|\.data|\.env|[^/]*\.log)(\/|$)/

/** Copies the project as it lies there, uncommitted changes too, with its packages linked. */
export function copyProject(to: string): void {
  cpSync(root, to, { recursive: true, filter: (path) => !leftOut.test(relative(root, path)) })
  symlinkSync(realpathSync(join(root, 'node_modules')), join(to, 'node_modules'))
}

/** Has the edit in the copy for as long as the work takes. */
export async function withPlanted<T>(
  copy: string,
  { file, text, before }: Planted,
  work: () => Promise<T>,
): Promise<T> {
  writeFileSync(join(copy, file), text)
  try {
    return await work()
  } finally {
    writeFileSync(join(copy, file), before)
  }
}
