/** Times in which a configured model could not be used by anybody. */
export const outages = `
  create table model_outages (
    id uuid not null,
    began_at timestamptz not null,
    -- null: it lasts
    ended_at timestamptz,
    last_failed_at timestamptz not null,
    -- when the model is asked again
    next_probe_at timestamptz not null,
    model text not null,
    provider text,
    -- what is wrong, in words of the platform, and what the provider said; the latter is for operators alone
    message text not null,
    provider_said text,
    constraint model_outages_pkey primary key (id)
  );
  create unique index model_outages_one_open on model_outages (model) where ended_at is null;
  create index model_outages_ended on model_outages (ended_at) where ended_at is not null;
`
