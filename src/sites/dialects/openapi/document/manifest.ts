import { foreignName, foreignText } from '../../../foreign-texts.ts'
import { namedLeftOut } from '../../../left-out.ts'
import type { Manifest, ManifestServer } from '../../../manifest.ts'
import type { OfferedTool } from '../../../offered-tools.ts'
import { memberOf } from '../../../schema/schema-keywords.ts'
import type { Chosen } from './choose-tools.ts'
import type { Operation } from './operations.ts'
import type { Auth } from './sign-in.ts'

type OwnManifest = Omit<Manifest, 'auth'> & { auth: Auth }

/** The manifest of a document with the chosen tools (OpenAPI 3.1, 4.8.2). */
export function manifestOf(root: unknown, server: ManifestServer, auth: Auth, { tools, leftOut }: Chosen): OwnManifest {
  const info = memberOf(root, 'info')
  const { host } = new URL(server.url)
  const version = memberOf(info, 'version')
  const about = foreignText(memberOf(info, 'description')) ?? foreignText(memberOf(info, 'summary'))
  return {
    name: foreignName(memberOf(info, 'title')) ?? host,
    // YAML reads an unquoted 1.0 as a number.
    version: foreignText(typeof version === 'number' ? String(version) : version, 100) ?? 'unknown',
    description: about ?? `The API at ${host}.`,
    server,
    auth,
    tools,
    ...(leftOut.length > 0 && { left_out: namedLeftOut(leftOut) }),
  }
}

const longestDescription = 200
const mostTags = 5

/** What a list of operations shows of one. */
export function toOffered({ name, value, method, path }: Operation): OfferedTool {
  const { tags, summary, description } = value
  return {
    name,
    description: foreignText(summary, longestDescription) ?? foreignText(description, longestDescription) ?? '',
    tags: Array.isArray(tags) ? tags.slice(0, mostTags).flatMap((tag) => foreignText(tag, 100) ?? []) : [],
    request: `${method} ${path}`,
  }
}
