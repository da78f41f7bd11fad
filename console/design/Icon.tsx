/** Drawn on 16 × 16, in the colour of the text beside it. */
const paths = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4V9.5h-3v4h-4z',
  runs: 'M2.5 4h6M2.5 8h11M2.5 12h8',
  agents: 'M3.5 5.5h9v7h-9zM8 5.5v-3M6 8.5v1M10 8.5v1M1.5 8v2.5M14.5 8v2.5',
  approvals: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.8 8l1.6 1.6 2.8-3',
  sites:
    'M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M2 8h12M8 2c2 1.7 2.7 3.7 2.7 6S10 12.3 8 14M8 2C6 3.7 5.3 5.7 5.3 8S6 12.3 8 14',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3l3.2 3.2',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    aria-hidden="true"
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.4}
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={paths[name]} />
  </svg>
)
