import type * as v from 'valibot'

/** For schemas without a message. Valibot's own message would quote the value, which may be a misplaced secret. */
export function expectedForm({ expected, type }: v.BaseIssue<unknown>): string {
  if (type === 'picklist')
    return `must be one of ${expected
      ?.replaceAll(/[("|)]/g, '')
      .split(/ +/)
      .join(', ')}`
  return expected !== null && expected in kinds ? `must be ${kinds[expected]}` : 'is invalid'
}

const kinds: Record<string, string> = {
  Object: 'an object',
  Array: 'a list',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
}
