import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAuthorities } from '../../src/safe-fetch/authorities.ts'

/**
 * The file of all authorities that a local platform trusts for sites: that of its example sites, and the developer's
 * SITE_CA_FILE if set. Throws a sentence if that file cannot be used.
 */
export function trustedAuthorities(folder: string, localFile: string, developersFile: string | undefined): string {
  if (developersFile === undefined) return localFile
  const file = join(folder, 'trusted.pem')
  writeFileSync(file, `${readAuthorities(localFile)}${readAuthorities(developersFile)}`)
  return file
}
