import type { Api } from '../../../api/client.ts'

type Entry = Api['CatalogueEntry']

const signIns: Record<Entry['authType'], string> = {
  none: 'no sign-in',
  bearer: 'with a token',
  oauth2: 'you sign in there',
}

/** What kind of site it is, how one signs in, and its tags. */
export const factsOf = ({ dialect, authType, tags }: Pick<Entry, 'dialect' | 'authType' | 'tags'>): string =>
  [dialect, signIns[authType], ...tags].join(' · ')

/** The entry for the site that was inspected: by the address that was typed, or by the one that the site has. */
export const entryFor = (
  entries: readonly Entry[] | undefined,
  { url, origin }: { url: string; origin: string },
): Entry | undefined => entries?.find(({ address }) => [url, origin].some((one) => isSame(address, one)))

/** A final slash is no difference. A fragment says which of the sites at one address it is. */
const isSame = (one: string, other: string): boolean => wholeOf(one) === wholeOf(other)

const wholeOf = (address: string): string => withoutFragment(URL.parse(address)?.href ?? address)

const withoutFragment = (address: string): string => address.replace(/#.*$/s, '')

/** The most that the API takes as a search. A part of an address finds it too. */
export const asSearch = (address: string): string => withoutFragment(address).slice(0, 200)
