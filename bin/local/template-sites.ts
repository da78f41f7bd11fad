import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { tokenOfSite } from './ask-site.ts'
import { replaceFile } from './write-file.ts'

/** The file with the sites of templates while `npm start` runs. It contains a token. */
export const templateSitesFile = (folder: string): string => join(folder, 'template-sites.json')

/**
 * Connects templates to the example issue tracker, and returns the setting for the API. Each start creates a new token,
 * because the tracker may have lost or revoked the last one. Without a token, everything else still works.
 */
export async function shareTemplateSites(
  folder: string,
  { sites, siteCaFile }: { sites: string[]; siteCaFile: string },
  say: (text: string) => void,
): Promise<{ TEMPLATE_SITES_FILE?: string }> {
  const file = templateSitesFile(folder)
  try {
    const tracker = { origin: sites[0], token: await tokenOfSite({ sites, siteCaFile }) }
    replaceFile(file, JSON.stringify({ tracker }, null, 2), 0o600)
    return { TEMPLATE_SITES_FILE: file }
  } catch (error) {
    rmSync(file, { force: true })
    say(`Templates cannot use the example issue tracker: ${(error as Error).message}`)
    return {}
  }
}
