import { execa } from '../execa.ts'

/** Programs that the check needs, with the Debian package of each. */
const needed = {
  mmdebstrap: 'mmdebstrap',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'mount',
  chroot: 'coreutils',
  ip: 'iproute2',
  openssl: 'openssl',
}

/** Throws a sentence that says what is missing on this machine, and how to get it. `given` needs no package. */
export async function requireTools(given: (keyof typeof needed)[] = []): Promise<void> {
  if (process.platform !== 'linux') throw new Error('This check needs Linux.')
  if (process.getuid?.() !== 0) throw new Error('This check needs root, to make an empty root and change into it.')
  const names = (Object.keys(needed) as (keyof typeof needed)[]).filter((name) => !given.includes(name))
  const found = await Promise.all(names.map(async (name) => ({ name, isThere: await isThere(name) })))
  const missing = found.filter(({ isThere: there }) => !there).map(({ name }) => name)
  if (missing.length === 0) return
  const packages = [...new Set(missing.map((name) => needed[name]))].join(' ')
  throw new Error(`Missing: ${missing.join(', ')}. On Debian: apt-get install ${packages}`)
}

async function isThere(name: string): Promise<boolean> {
  const { failed } = await execa('sh', ['-c', `command -v "$1"`, 'sh', name], { reject: false })
  return !failed
}
