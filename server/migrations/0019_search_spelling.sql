-- An accent that came apart from its letter is found by whoever types both as one. Only UTF-8 can be told apart so.
UPDATE employees SET search_text = normalize(search_text, NFC)
  WHERE current_setting('server_encoding') = 'UTF8' AND search_text IS NOT NFC NORMALIZED;
