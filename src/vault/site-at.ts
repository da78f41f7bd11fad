import type { DialectName } from '../sites/dialects/dialect-name.ts'

/** A site as somebody writes it down: its kind, and an address that it is found at. */
export interface SiteAddress {
  dialect: DialectName
  address: string
}

/** The keys that sites at an address can have, without fragments: the address itself, or its origin. */
export function keysAt(address: string): string[] {
  const { href, origin } = new URL(address)
  return [withoutFragment(href), origin]
}

/**
 * Whether an entry of the vault is for the site. The fragment of a key says which of the sites at one address it is. A
 * site that is written down without one may be any of them.
 */
export function isSiteAt(entry: { dialect: DialectName; origin: string }, { dialect, address }: SiteAddress): boolean {
  const fragment = fragmentOf(address)
  return (
    entry.dialect === dialect &&
    keysAt(address).includes(withoutFragment(entry.origin)) &&
    (fragment === '' || fragment === fragmentOf(entry.origin))
  )
}

/** Without a slash at the end, as keys have it. */
const fragmentOf = (address: string): string => (address.split('#')[1] ?? '').replace(/\/+$/, '')

const withoutFragment = (address: string): string => address.replace(/#.*$/s, '')
