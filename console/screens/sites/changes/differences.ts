import type { Api } from '../../../api/client.ts'
import { countInWords } from '../../../parts/format.ts'

type Difference = Api['ManifestDifference']
type ChangeClass = Api['ChangeClass']

/** The differences of one tool, or of the site itself, the gravest first. */
export interface Group {
  /** undefined: of the site itself. */
  tool: string | undefined
  class: ChangeClass
  differences: Difference[]
}

const order: readonly ChangeClass[] = ['none', 'text', 'compatible', 'new_scope', 'breaking', 'changed_address']

export const classWords: Record<ChangeClass, { word: string; tone: 'calm' | 'good' | 'warn' | 'bad' }> = {
  none: { word: 'no change', tone: 'calm' },
  text: { word: 'words only', tone: 'calm' },
  compatible: { word: 'compatible', tone: 'good' },
  new_scope: { word: 'more access', tone: 'warn' },
  breaking: { word: 'may break', tone: 'bad' },
  changed_address: { word: 'other address', tone: 'bad' },
}

export const statusWords: Record<Api['ManifestChangeStatus'], { word: string; tone: 'calm' | 'good' | 'warn' }> = {
  adopted: { word: 'in use', tone: 'good' },
  pending: { word: 'waits', tone: 'warn' },
  accepted: { word: 'accepted', tone: 'good' },
  superseded: { word: 'replaced by a later change', tone: 'calm' },
  withdrawn: { word: 'taken back by the site', tone: 'calm' },
}

/**
 * The differences by tool, in the order in which they arrive, which begins with the gravest. A tool's name may have
 * dots, and a path is names with dots between them: `names` are the tools that are known.
 */
export function byTool(differences: readonly Difference[], names: readonly string[]): Group[] {
  const longestFirst = names.toSorted((one, other) => other.length - one.length)
  const groups = Map.groupBy(differences, ({ path }) => toolIn(path, longestFirst))
  return [...groups].map(([tool, ofTool]) => ({ tool, class: gravest(ofTool), differences: ofTool }))
}

/** A removed or an added tool is the rest of its path; of a changed one, the path says more. */
function toolIn(path: string, names: readonly string[]): string | undefined {
  if (!path.startsWith('tools.')) return undefined
  const rest = path.slice('tools.'.length)
  const known = names.find((name) => rest === name || rest.startsWith(`${name}.`))
  return known ?? /^(.+?)\.(?:input_schema|scope|effect|description)(?:\.|$)/.exec(rest)?.[1] ?? rest
}

const gravest = (differences: readonly Difference[]): ChangeClass =>
  differences.reduce<ChangeClass>(
    (worst, { class: next }) => (order.indexOf(next) > order.indexOf(worst) ? next : worst),
    'none',
  )

/** Where in the tool or the site the difference is. Empty for the whole. */
export function placeIn({ path }: Pick<Difference, 'path'>, tool: string | undefined): string {
  const rest = tool === undefined ? path : path.slice(`tools.${tool}`.length).replace(/^\./, '')
  return rest.replace(/^input_schema(?:\.properties(?=\.))?(?:\.|$)/, 'arguments.').replace(/\.$/, '')
}

/** The hosts to which calls or logins would newly be sent. Each has to be trusted before the change is accepted. */
export function hostsIn(differences: readonly Difference[]): string[] {
  const hosts = differences
    .filter((one) => one.class === 'changed_address' && one.after !== undefined)
    .filter(({ before, after }) => hostOf(before) !== hostOf(after))
    .flatMap(({ after }) => hostOf(after) ?? [])
  return [...new Set(hosts)].toSorted()
}

const hostOf = (address: string | undefined): string | undefined =>
  address === undefined ? undefined : URL.parse(address)?.host

/** The API names a host with its port only if the site's own host has another one. Both names mean what was ticked. */
export const hostNames = (hosts: readonly string[]): string[] => [
  ...new Set(hosts.flatMap((host) => [host, host.replace(/:\d+$/, ''), /:\d+$/.test(host) ? host : `${host}:443`])),
]

/** What a check found. */
export function checkedInWords({ status, differences }: Pick<Api['ManifestCheck'], 'status' | 'differences'>): string {
  const count = countInWords(differences.length, 'difference')
  if (status === 'none') return 'The site has not changed.'
  if (status === 'adopted') return `The site has changed (${count}). The change is in use, because it breaks nothing.`
  return `The site has changed (${count}). The change waits until somebody accepts it.`
}
