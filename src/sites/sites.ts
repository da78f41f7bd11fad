import type { Config } from '../config/config.ts'
import { CodedError, type ErrorDetail } from '../errors.ts'
import type * as inThread from '../in-thread.ts'
import { orElse, type Threads } from '../threads/threads.ts'
import type { Dialect, KnownSite, ListedSite } from './dialects/dialect.ts'
import { foreignHosts } from './foreign-hosts.ts'
import type { ComparedManifests } from './in-thread.ts'
import { invalidManifest } from './invalid-manifest.ts'
import type { Manifest } from './manifest.ts'
import { createPrivateAddresses } from './private-addresses.ts'
import { describeTool, type SiteTool } from './tool.ts'
import { tooMuch } from './tool-arguments.ts'

export interface DiscoveredSite extends ListedSite {
  tools: SiteTool[]
  foreignHosts: string[]
}

/**
 * Checks what sites list, compares it with what they listed before, and validates arguments against their input
 * schemas. The last two run in threads, because strangers write the input. `party` is the fairness key there: an
 * owner's id, or a site that is checked for nobody in particular.
 */
export function createSites(context: {
  dialect: Pick<Dialect, 'list'>
  threads: Threads<typeof inThread>
  config: { sites: Pick<Config['sites'], 'allow' | 'loopback'> }
}) {
  const { dialect, threads, config } = context
  const privateAddresses = createPrivateAddresses(config.sites)

  /**
   * The site at an address. Throws INVALID_URL, MANIFEST_NOT_FOUND if there is none, MANIFEST_INVALID with the problems
   * if its manifest is invalid.
   */
  async function discover(siteUrl: string, party: string, known?: KnownSite): Promise<DiscoveredSite> {
    const listed = await dialect.list(siteUrl, party, known)
    const { origin, manifest } = listed
    const problems = privateAddresses(manifest)
    if (problems.length > 0) throw invalidManifest(problems)
    return { ...listed, tools: manifest.tools.map(describeTool), foreignHosts: foreignHosts(origin, manifest) }
  }

  /**
   * The problems of a tool call's arguments (JSON text), by dotted path, at most 20; empty if valid. Throws
   * MANIFEST_INVALID if the pinned schema can no longer be used.
   */
  async function argumentProblems(schema: unknown, args: string, party: string): Promise<ErrorDetail[]> {
    // Sent as texts: cloning a value of many small parts is slower than parsing it.
    const work = threads.run(party, 'checkArguments', { schema: JSON.stringify(schema), args })
    const result = await work.catch(orElse({ problems: [tooMuch] }))
    if ('problems' in result) return result.problems
    throw new CodedError('MANIFEST_INVALID', { message: result.unusable })
  }

  /**
   * Compares a manifest in use with a later one. Throws MANIFEST_INVALID if that takes too long.
   */
  async function compare(before: Manifest, after: Manifest, party: string): Promise<ComparedManifests> {
    const given = { before: JSON.stringify(before), after: JSON.stringify(after) }
    const compared = await threads.run(party, 'compareTexts', given).catch(orElse(undefined))
    if (compared) return compared
    throw invalidManifest([incomparable])
  }

  return { discover, compare, argumentProblems }
}

export type Sites = ReturnType<typeof createSites>

const incomparable: ErrorDetail = {
  path: '',
  message: 'takes too long to compare with the current manifest',
}
