import { join } from 'node:path'
import type { BillingMode } from '../../src/config/billing-mode.ts'
import type { ModelsConfig } from '../../src/config/models-config.ts'
import { firstAdminEmail } from '../first-admin-link.ts'
import { firstAdminFile } from './first-admin.ts'
import type { Addresses } from './stack.ts'

interface Started {
  /** Makes an admin; undefined if there is one. */
  adminLink: string | undefined
  models: ModelsConfig
  billing: BillingMode
  environment: Record<string, string>
  folder: string
  milliseconds: number
}

/** The text that `npm start` prints when everything runs. */
export function readyInWords(
  addresses: Addresses,
  { adminLink, models, billing, environment, folder, milliseconds }: Started,
): string {
  const rows = [
    ['Console', addresses.console],
    ...firstVisit(adminLink),
    ['API', addresses.api],
    ['Docs', addresses.docs],
    ['Temporal UI', addresses.temporalUi ?? `(of the server at ${addresses.temporal})`],
    ...addresses.sites.map((address, index) => [index === 0 ? 'Example sites' : '', siteInWords(address, index)]),
    ['Model', modelInWords(models)],
    ['Billing', billingInWords[billing]],
    ['Local admin', `${firstAdminEmail}, for programs; first password in ${firstAdminFile(folder)}`],
    ['Logs', join(folder, 'logs')],
  ].map(([what, where]) => `  ${what!.padEnd(14)} ${where}`)
  const seconds = (milliseconds / 1000).toFixed(1)
  const next = `Next, in another terminal:\n\n  npm run tour\n  curl ${addresses.api}/readyz\n\nThe guide begins with docs/start/first-agent.md.\n\nCtrl-C stops everything.`
  return ['', `Switchyard is ready (${seconds} s).`, '', ...rows, '', ...unusedKey(environment), next].join('\n')
}

const firstVisit = (link: string | undefined): string[][] =>
  link === undefined
    ? []
    : [
        ['First visit', link],
        ['', 'The link creates your own admin account. It works once, within an hour.'],
      ]

/** In the order in which they start. */
const siteNames = ['issue tracker', 'bad tools', 'broken manifest', 'contacts (OAuth)']

const siteInWords = (address: string, index: number): string => `${(siteNames[index] ?? '').padEnd(17)} ${address}`

const billingInWords: Record<BillingMode, string> = {
  off: 'off: everyone has every feature, within your limits',
  sandbox: 'sandbox: tiers and credits can be bought, and no money moves',
  stripe: 'Stripe',
}

function modelInWords({ default: chosen, models, providers }: ModelsConfig): string {
  const provider = providers.find(({ name }) => name === models.find((model) => model.name === chosen)?.provider)
  if (provider?.kind === 'demo') return 'demo (follows fixed rules and understands nothing; see docs/operate/models.md)'
  const others = models.length > 1 ? `, and ${models.length - 1} more` : ''
  return `${chosen} (${provider?.baseUrl ?? provider?.name})${others}`
}

/** The key may be in the environment for another program, so it is not used without a model. */
const unusedKey = ({ OPENAI_API_KEY, OPENAI_MODEL, MODELS_FILE }: Record<string, string>): string[] =>
  OPENAI_API_KEY !== undefined && OPENAI_MODEL === undefined && MODELS_FILE === undefined
    ? ['OPENAI_API_KEY is set, but OPENAI_MODEL is not, so the key is not used.', '']
    : []
