import { to } from './addresses.ts'

/** The pages of an owner that the navigation shows, with the keys that open them. */
export const placesOf = (owner: string) =>
  [
    { name: 'Home', icon: 'home', keys: 'g h', link: to.home(owner) },
    { name: 'Runs', icon: 'runs', keys: 'g r', link: to.runs(owner) },
    { name: 'Agents', icon: 'agents', keys: 'g e', link: to.agents(owner) },
    { name: 'Approvals', icon: 'approvals', keys: 'g a', link: to.approvals(owner) },
    { name: 'Sites', icon: 'sites', keys: 'g s', link: to.sites(owner) },
  ] as const

export type Place = ReturnType<typeof placesOf>[number]
