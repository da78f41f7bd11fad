import type { KnownSite } from '../catalogue/catalogue.ts'
import { assertThat } from '../errors.ts'
import type { Dialect } from '../sites/dialects/dialect.ts'
import { mostChosen } from '../vault/choice.ts'
import type { Template } from './template-format.ts'

/** The sites of the catalogue by their ids, as one owner has them. */
export type KnownSites = ReadonlyMap<string, KnownSite>

type Choice = Pick<Template['sites'][number], 'site' | 'tools'>

/** Makes the functions that tell whether a template can use a site. */
export function createTemplateSites({ dialect }: { dialect: Pick<Dialect, 'offersChoice'> }) {
  /** Whether a start can connect the site without its owner. */
  function connectsAlone({ dialect: name, authType, token }: KnownSite, { tools }: Choice): boolean {
    const isChoice = tools.length > 0 && tools.length <= mostChosen
    return (authType === 'none' || token !== undefined) && (isChoice || !dialect.offersChoice(name))
  }

  /** Why a template cannot use a site: it needs one that the owner has connected, or that connects without the owner. */
  function problemOf(choice: Choice, sites: KnownSites): string | undefined {
    const site = sites.get(choice.site)
    if (!site)
      return `The catalogue of this installation has no site named ${JSON.stringify(choice.site)}, which the template uses. Connect a site of your own with POST /vault, and create an agent for it with POST /agents.`
    const { name, address, vaultEntryId } = site
    return vaultEntryId !== null || connectsAlone(site, choice)
      ? undefined
      : `The template uses the site ${JSON.stringify(name)}. Connect it first: its address is ${address}.`
  }

  /** The site, if a template can use it now. NOT_FOUND with the problem otherwise. */
  function assertUsable(choice: Choice, sites: KnownSites): KnownSite {
    const site = sites.get(choice.site)
    const message = problemOf(choice, sites)
    assertThat(site && message === undefined, 'NOT_FOUND', { message: message ?? '' })
    return site
  }

  return { problemOf, assertUsable }
}
