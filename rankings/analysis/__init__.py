"""Analysis: which numbers and sentences make up a whole report?"""
