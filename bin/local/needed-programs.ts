import { execa } from '../execa.ts'

/** Programs by name, each with its Debian package. */
type NeededPrograms = Record<string, string>

/** Throws a sentence that says which of the programs are missing on the PATH, and how to get them. */
export async function requirePrograms(needed: NeededPrograms, env: Record<string, string>): Promise<void> {
  const names = Object.keys(needed)
  const found = await Promise.all(names.map((name) => isThere(name, env)))
  const missing = names.filter((_name, index) => !found[index])
  if (missing.length === 0) return
  const packages = [...new Set(missing.map((name) => needed[name]))].join(' ')
  throw new Error(`Missing: ${missing.join(', ')}. On Debian: apt-get install ${packages}`)
}

async function isThere(name: string, env: Record<string, string>): Promise<boolean> {
  const words = ['-c', `command -v "$1"`, 'sh', name]
  return !(await execa('/bin/sh', words, { env, extendEnv: false, reject: false })).failed
}
