#include "store/rare_values.hpp"

#include <bit>

namespace boxwise {

using std::size_t;
using std::uint32_t;

// Buckets come one by one: those whose twin has not come yet hold its values, too.
size_t RareValues::bucket_of(Code code) const {
  const size_t all = std::bit_ceil(buckets_.size()), at = hash(code) & (all - 1);
  return at < buckets_.size() ? at : at - all / 2;
}

RareValues::Link RareValues::find(Code code) const {
  if (n_values_ == 0) return 0;
  Link at = buckets_[bucket_of(code)];
  while (at != 0 && value(at).code != code) at = value(at).next;
  return at;
}

// Another bucket, with those values of its twin that belong there.
void RareValues::grow() {
  buckets_.push_back(0);
  const size_t added = buckets_.size() - 1;
  if (added == 0) return;
  Link* end = &buckets_[added - std::bit_ceil(added + 1) / 2];
  while (*end != 0) {
    const Link at = *end;
    if (bucket_of(value(at).code) != added) {
      end = &value(at).next;
      continue;
    }
    *end = value(at).next;
    value(at).next = buckets_[added];
    buckets_[added] = at;
  }
}

void RareValues::add(Code code, Slot slot) {
  if (code < first_) return;
  if (const Link at = find(code)) {
    Value& known = value(at);
    if (known.count == FREQUENT) return;
    if (known.count == MAX_POSTINGS) {
      give_back_postings(known);
      known.count = FREQUENT;
      n_postings_ -= MAX_POSTINGS;
      return;
    }
    ++n_postings_;
    if (known.count == 1) known.boxes = hold(known.boxes, 0);
    known.boxes = hold(slot, known.boxes);
    ++known.count;
    return;
  }
  if (n_values_ >= buckets_.size()) grow();
  Link at = free_value_;
  if (at != 0) {
    free_value_ = value(at).next;
  } else {
    values_.push_back({});
    at = static_cast<Link>(values_.size());
  }
  Link& bucket = buckets_[bucket_of(code)];
  value(at) = {code, 1, slot, bucket};
  bucket = at;
  ++n_values_;
  ++n_postings_;
}

void RareValues::remove(Code code, Slot slot) {
  const Link at = find(code);
  if (at == 0 || value(at).count == FREQUENT) return;
  --n_postings_;
  Value& known = value(at);
  if (known.count == 1) return give_back(at);
  Link* link = &known.boxes;
  while (posting(*link).slot != slot) link = &posting(*link).next;
  const Link gone = *link;
  *link = posting(gone).next;
  posting(gone).next = free_posting_;
  free_posting_ = gone;
  if (--known.count > 1) return;
  const Slot last = posting(known.boxes).slot;
  give_back_postings(known);
  known.boxes = last;
}

void RareValues::rename(Code code, Slot from, Slot to) {
  const Link at = find(code);
  if (at == 0 || value(at).count == FREQUENT) return;
  Value& known = value(at);
  if (known.count == 1) {
    known.boxes = to;
    return;
  }
  Link link = known.boxes;
  while (posting(link).slot != from) link = posting(link).next;
  posting(link).slot = to;
}

uint32_t RareValues::times(Code code) const {
  if (code < first_) return code < 0 ? 0 : FREQUENT;  // below 0: a value never learned
  const Link at = find(code);
  return at == 0 ? 0 : value(at).count;
}

bool RareValues::list(Code code, std::vector<Slot>& out) const {
  if (code < first_) return code < 0;
  const Link at = find(code);
  if (at == 0) return true;
  const Value& known = value(at);
  if (known.count == FREQUENT) return false;
  if (known.count == 1)
    out.push_back(known.boxes);
  else
    for (Link link = known.boxes; link != 0; link = posting(link).next)
      out.push_back(posting(link).slot);
  return true;
}

RareValues::Link RareValues::hold(Slot slot, Link next) {
  Link at = free_posting_;
  if (at != 0) {
    free_posting_ = posting(at).next;
  } else {
    postings_.push_back({});
    at = static_cast<Link>(postings_.size());
  }
  posting(at) = {slot, next};
  return at;
}

void RareValues::give_back_postings(Value& known) {
  Link last = known.boxes;
  while (posting(last).next != 0) last = posting(last).next;
  posting(last).next = free_posting_;
  free_posting_ = known.boxes;
  known.boxes = 0;
}

void RareValues::give_back(Link at) {
  Link* link = &buckets_[bucket_of(value(at).code)];
  while (*link != at) link = &value(*link).next;
  *link = value(at).next;
  value(at).next = free_value_;
  free_value_ = at;
  --n_values_;
}

}  // namespace boxwise
