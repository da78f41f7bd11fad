import type { Api } from '../../api/client.ts'

export type AppScope = Api['AppScope']

/** What an app may do, as the end of "The app may". */
export const scopeWords: Readonly<Record<AppScope, string>> = {
  read: 'see your tools, agents and runs',
  run: 'call your tools and start your agents',
  decide: 'show you approvals as forms, and pass on what you decide',
}

/** What is ticked when the page opens. A person decides about decisions. */
export const tickedAtFirst = (asked: readonly AppScope[]): AppScope[] => asked.filter((scope) => scope !== 'decide')

/** The ticked scopes after a change, in the order in which they were requested. */
export const tickedAfter = (
  asked: readonly AppScope[],
  ticked: readonly AppScope[],
  changed: AppScope,
  isTicked: boolean,
): AppScope[] => asked.filter((scope) => (scope === changed ? isTicked : ticked.includes(scope)))

/** What an app may do, in one line. */
export const scopesInWords = (scopes: readonly AppScope[]): string =>
  scopes.map((scope) => scopeWords[scope]).join('; ')
