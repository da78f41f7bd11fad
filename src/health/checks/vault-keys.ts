import { failing, fine, type Check } from '../finding.ts'

/** Whether VAULT_KEYS opens what the database holds. A missing key is named. */
export const vaultKeys: Check<{ vaultKeys: { problems: () => Promise<string[]> } }> = {
  name: 'vault keys',
  needs: ['schema'],
  async look({ vaultKeys: keys }) {
    const problems = await keys.problems()
    return problems.length > 0
      ? failing(problems.join(' '), 'Put the original key back into VAULT_KEYS. See docs/operate/keys.md.')
      : fine('VAULT_KEYS has every key that is in use.')
  },
}
