import { requirePrograms } from '../local/needed-programs.ts'

const needed = {
  mmdebstrap: 'mmdebstrap',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  mount: 'mount',
  chroot: 'coreutils',
  ip: 'iproute2',
  openssl: 'openssl',
}

/** Throws a sentence that says what the check needs. With a `debian` at hand, it does not make one. */
export async function requireTools(debian: string | undefined, environment: Record<string, string>): Promise<void> {
  if (process.platform !== 'linux') throw new Error('This check needs Linux.')
  if (process.getuid?.() !== 0) throw new Error('This check needs root, to make an empty root and change into it.')
  const { mmdebstrap, ...others } = needed
  await requirePrograms(debian === undefined ? { mmdebstrap, ...others } : others, environment)
}
