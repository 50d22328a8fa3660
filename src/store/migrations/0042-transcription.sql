-- What is stored of speech-to-text goes by its plain name: in what a call has used, how long it took, and what it cost.
update call_details set
  usage = case when usage ? 'earsMs'
    then usage - 'earsMs' || jsonb_build_object('speechToTextMs', usage -> 'earsMs') else usage end,
  latencies = replace(latencies::text, '"earsMs"', '"speechToTextMs"')::jsonb,
  cost = case when cost ? 'ears' then cost - 'ears' || jsonb_build_object('transcription', cost -> 'ears') else cost end
where usage ? 'earsMs' or cost ? 'ears' or latencies::text like '%"earsMs"%';
