import { isSame } from './same-json.ts'
import { difference, gravest, rankOf, type ChangeClass, type Difference } from './difference.ts'
import { memberOf } from '../schema/schema-keywords.ts'
import type { Manifest } from '../manifest.ts'
import { memberChanges, neededScopes, toolChanges } from './tool-changes.ts'

/** Only the gravest differences are kept: nobody reads a longer list. */
const mostDifferences = 200

/** The class of the gravest difference, and the differences, gravest first. */
export interface ManifestComparison {
  class: ChangeClass
  differences: Difference[]
}

/**
 * Compares a site's manifest in use with a later one. The class is that of the gravest difference. An attacker who
 * takes over a site must not be able to redirect credentials by editing its manifest.
 *
 * - `none`: both mean the same
 * - `text`: names, descriptions, the version, members that have no effect
 * - `compatible`: everything that worked before still works, and perhaps more
 * - `new_scope`: a tool needs, or the site offers, a scope that was not needed or offered before
 * - `breaking`: calls that worked may fail, or calls that must run once would be repeated
 * - `changed_address`: calls or credentials would be sent elsewhere
 *
 * `docs/sites/manifest-changes.md` lists every rule. At most the 200 gravest differences are listed; the class covers
 * all. Both manifests must have been parsed.
 */
export function compareManifests(before: Manifest, after: Manifest): ManifestComparison {
  if (isSame(before, after)) return { class: 'none', differences: [] }
  const found = [...changes(before, after)]
  const reordered = difference('', ['original order', 'new order'], 'text', 'Only the order of list items has changed.')
  const all = found.length > 0 ? found : [reordered]
  const sorted = all.toSorted((one, other) => rankOf(other.class) - rankOf(one.class))
  return { class: gravest(all.map((one) => one.class)), differences: sorted.slice(0, mostDifferences) }
}

function* changes(before: Manifest, after: Manifest): Generator<Difference> {
  yield* addressChange(before.server, after.server, 'server', 'url', 'Tool calls would go to a different address.')
  yield* memberChanges(before.server, after.server, 'server', new Set(['url']))
  yield* before.auth.type === after.auth.type ? authChanges(before, after) : otherType(before, after)
  yield* toolChanges(before, after)
  yield* memberChanges(before, after, '', new Set(['server', 'auth', 'tools']))
}

/** Addresses that users or credentials are sent to, and the issuer of authorization responses. */
const addresses: Record<string, string> = {
  authorization_url: 'Users would be sent to a different address for consent.',
  token_url: 'Credentials would be sent to a different address for renewal.',
  revocation_url: 'Credentials would be sent to a different address for revocation.',
  issuer: 'A different authorization server would be trusted.',
  resource: 'Tokens would be requested for a different service.',
  registration_url: 'The platform would be registered at a different address.',
}

function* authChanges(before: Manifest, after: Manifest): Generator<Difference> {
  if (before.auth.type !== 'oauth2' || after.auth.type !== 'oauth2') {
    yield* placeChange(before.auth, after.auth)
    yield* memberChanges(before.auth, after.auth, 'auth', new Set(['credential']))
    return
  }
  for (const [name, message] of Object.entries(addresses)) {
    yield* addressChange(before.auth, after.auth, 'auth', name, message)
  }
  yield* offeredScopes(before.auth.scopes, after.auth.scopes, after)
  yield* memberChanges(before.auth, after.auth, 'auth', new Set([...Object.keys(addresses), 'scopes']))
}

function* addressChange(before: object, after: object, path: string, name: string, message: string) {
  const pair = [memberOf(before, name), memberOf(after, name)] as const
  // A removed address is a change too: less would be checked, or grants would no longer be revoked.
  if (pair[0] !== pair[1]) yield difference(`${path}.${name}`, pair, 'changed_address', message)
}

/** A place that others can read, such as an address, may reveal the credential. */
function* placeChange(before: object, after: object): Generator<Difference> {
  const pair = [memberOf(before, 'credential'), memberOf(after, 'credential')] as const
  if (!isSame(pair[0], pair[1]))
    yield difference('auth.credential', pair, 'changed_address', 'The credential would be sent in another place.')
}

/** The credential becomes useless. Members that appear or disappear with the type add nothing. */
function* otherType({ auth: before }: Manifest, { auth: after }: Manifest): Generator<Difference> {
  const message = 'The credential would stop working, and the site would have to be reconnected.'
  yield difference('auth.type', [before.type, after.type], 'breaking', message)
  for (const change of memberChanges(before, after, 'auth', new Set(['type']))) {
    yield { ...change, class: 'breaking', message: 'This setting determines how the site is connected.' }
  }
}

function* offeredScopes(before: readonly string[], after: readonly string[], manifest: Manifest) {
  const added = after.filter((scope) => !before.includes(scope))
  const removed = before.filter((scope) => !after.includes(scope))
  const needed: ReadonlySet<string> = neededScopes(manifest)
  const pair = [before, after] as const
  if (added.length > 0) {
    yield difference('auth.scopes', pair, 'new_scope', `The site offers new scopes: ${[...new Set(added)].join(', ')}.`)
  }
  const missing = removed.filter((scope) => needed.has(scope))
  if (missing.length > 0) {
    const message = `Tools need scopes that the site no longer offers: ${[...new Set(missing)].join(', ')}.`
    yield difference('auth.scopes', pair, 'breaking', message)
  } else if (removed.length > 0) {
    yield difference(
      'auth.scopes',
      pair,
      'compatible',
      'The site offers fewer scopes, but no tool needs the removed ones.',
    )
  }
}
